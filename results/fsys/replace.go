package fsys

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"strings"
)

// Replace writes a file whole or not at all: in TempDir, synced, renamed over
// its name, and the name synced. One call at a time may write one name.
func Replace(tree FS, name string, write func(io.Writer) error) error {
	temp := path.Join(TempDir, strings.ReplaceAll(name, "/", "-"))
	if err := writeTemp(tree, temp, write); err != nil {
		return err
	}
	if err := tree.Rename(temp, name); err != nil {
		return err
	}
	return tree.SyncDir(path.Dir(name))
}

func writeTemp(tree FS, temp string, write func(io.Writer) error) (err error) {
	f, err := tree.OpenFile(temp, os.O_WRONLY|os.O_CREATE|os.O_TRUNC)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	w := bufio.NewWriterSize(f, 1<<16)
	if err := write(w); err != nil {
		return err
	}
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Sync()
}

// WriteFile is Replace for data in memory.
func WriteFile(tree FS, name string, data []byte) error {
	return Replace(tree, name, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// ReadFile reads a file of at most limit bytes.
func ReadFile(tree FS, name string, limit int64) (data []byte, err error) {
	f, err := Open(tree, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() || info.Size() > limit {
		return nil, fmt.Errorf("%s: not a file of at most %d bytes", name, limit)
	}
	data = make([]byte, info.Size())
	_, err = io.ReadFull(f, data)
	return data, err
}

// MakeDir makes a directory and its parents, and makes their names durable, those
// too that were there before: whoever made one may have died before it was synced.
func MakeDir(tree FS, name string) error {
	if name == "." {
		return nil
	}
	if err := MakeDir(tree, path.Dir(name)); err != nil {
		return err
	}
	if err := tree.Mkdir(name); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return tree.SyncDir(path.Dir(name))
}

// RemoveTree removes a file, or a directory with all that is in it. A name
// that is not there is no error.
func RemoveTree(tree FS, name string) error {
	info, err := tree.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if info.IsDir() {
		entries, err := tree.ReadDir(name)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if err := RemoveTree(tree, path.Join(name, e.Name())); err != nil {
				return err
			}
		}
	}
	return tree.Remove(name)
}
