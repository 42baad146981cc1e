package campaign

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"path"
	"strings"

	"mpf/results/fsys"
	"mpf/results/record"
)

// partial ends the name of a sample segment that nobody closed.
const partial = ".partial"

// keep makes the files of an attempt durable in their final place and returns
// them, sorted. An attempt without files has no folder.
func (a *attempt) keep(rows map[string]int64) ([]record.File, error) {
	if !a.made && !a.abandoned {
		return nil, nil
	}
	tree := a.campaign.tree
	k := keeper{tree: tree, rows: rows, abandoned: a.abandoned}
	err := k.folder(a.temp(), "")
	if a.abandoned && errors.Is(err, fs.ErrNotExist) {
		return a.keptBefore()
	}
	if err != nil {
		return nil, err
	}
	if len(k.files) == 0 {
		return nil, fsys.RemoveTree(tree, a.temp())
	}
	if err := a.makeWay(); err != nil {
		return nil, err
	}
	if err := tree.Rename(a.temp(), a.final()); err != nil {
		return nil, err
	}
	return k.files, a.syncPlace()
}

// supersededMark is in the name of a folder that had to make way.
const supersededMark = ".superseded-"

// makeWay makes the parent of the final folder. What lies in the place of the
// folder itself belongs to an attempt whose record was lost: it is set aside.
func (a *attempt) makeWay() error {
	tree := a.campaign.tree
	err := tree.Mkdir(path.Dir(a.final()))
	if err == nil || !errors.Is(err, fs.ErrExist) {
		return err
	}
	if _, err := tree.Lstat(a.final()); errors.Is(err, fs.ErrNotExist) {
		return nil
	} else if err != nil {
		return err
	}
	return tree.Rename(a.final(), a.final()+supersededMark+a.start.Nonce)
}

// syncPlace makes the names that lead to the final folder durable.
func (a *attempt) syncPlace() error {
	parent := path.Dir(a.final())
	if err := a.campaign.tree.SyncDir(parent); err != nil {
		return err
	}
	return a.campaign.tree.SyncDir(path.Dir(parent))
}

// keptBefore lists the files of an attempt whose engine died after they got
// their final place.
func (a *attempt) keptBefore() ([]record.File, error) {
	k := keeper{tree: a.campaign.tree}
	err := k.folder(a.final(), "")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return k.files, errors.Join(err, a.syncPlace())
}

// A keeper makes a folder durable and lists its files.
type keeper struct {
	tree      fsys.FS
	rows      map[string]int64
	abandoned bool
	files     []record.File
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
		default: // a link or a device says nothing of the run
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
	if k.abandoned && strings.HasPrefix(to, segmentPrefix) && !strings.HasSuffix(to, partial) {
		if err := k.tree.Rename(at, at+partial); err != nil {
			return err
		}
		at, to = at+partial, to+partial
	}
	file, err := syncFile(k.tree, at)
	file.Path, file.Rows = to, k.rows[to]
	k.files = append(k.files, file)
	return err
}

// syncFile makes a file durable and says what it is.
func syncFile(tree fsys.FS, name string) (record.File, error) {
	return readFile(tree, name, fsys.File.Sync)
}

// hashFile says what a file is.
func hashFile(tree fsys.FS, name string) (record.File, error) {
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
