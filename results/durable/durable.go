// Package durable makes files survive the loss of power and says what they are:
// their size and their hash.
package durable

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"path"

	"mpf/results/fsys"
	"mpf/results/record"
)

// Folder makes all files below a folder durable and lists them by their paths in
// it, sorted. What is neither a file nor a folder is removed: a link or a device
// says nothing of what was measured.
func Folder(tree fsys.FS, name string) ([]record.File, error) {
	k := keeper{tree: tree}
	err := k.folder(name, "")
	return k.files, err
}

// A keeper makes folders durable and lists their files.
type keeper struct {
	tree  fsys.FS
	files []record.File
}

// folder keeps a folder whose path from the attempt's is rel.
func (k *keeper) folder(name, rel string) error {
	entries, err := k.tree.ReadDir(name)
	if err != nil {
		return err
	}
	for _, e := range entries {
		at, to := path.Join(name, e.Name()), path.Join(rel, e.Name())
		switch {
		case e.IsDir():
			err = k.folder(at, to)
		case e.Type().IsRegular():
			err = k.file(at, to)
		default:
			err = k.tree.Remove(at)
		}
		if err != nil {
			return err
		}
	}
	if len(entries) == 0 {
		return nil
	}
	return k.tree.SyncDir(name)
}

func (k *keeper) file(at, to string) error {
	file, err := Sync(k.tree, at)
	file.Path = to
	k.files = append(k.files, file)
	return err
}

// Sync makes a file durable and says what it is.
func Sync(tree fsys.FS, name string) (record.File, error) {
	return readFile(tree, name, fsys.File.Sync)
}

// Hash says what a file is.
func Hash(tree fsys.FS, name string) (record.File, error) {
	return readFile(tree, name, func(fsys.File) error { return nil })
}

func readFile(tree fsys.FS, name string, then func(fsys.File) error) (file record.File, err error) {
	f, err := fsys.Open(tree, name)
	if err != nil {
		return file, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	sum := sha256.New()
	if file.Size, err = io.Copy(sum, f); err != nil {
		return file, err
	}
	file.Path, file.SHA256 = name, hex.EncodeToString(sum.Sum(nil))
	return file, then(f)
}
