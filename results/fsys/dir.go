package fsys

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
)

// dir is a tree on disk.
type dir struct {
	path string
	root *os.Root
	self fs.FileInfo
}

var _ FS = (*dir)(nil)

// OpenDir opens the tree at path, which must be a directory and no symbolic
// link to one.
func OpenDir(path string) (FS, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		return nil, &fs.PathError{Op: "open", Path: path, Err: syscall.ENOTDIR}
	}
	root, err := os.OpenRoot(path)
	if err != nil {
		return nil, err
	}
	d := &dir{path: path, root: root}
	if d.self, err = root.Stat("."); err != nil {
		return nil, errors.Join(err, root.Close())
	}
	return d, nil
}

func (d *dir) OpenFile(name string, flag int) (File, error) {
	f, err := d.root.OpenFile(name, flag, FileMode)
	if err != nil {
		return nil, err
	}
	return file{f}, nil
}

func (d *dir) Mkdir(name string) error                { return d.root.Mkdir(name, DirMode) }
func (d *dir) Rename(from, to string) error           { return d.root.Rename(from, to) }
func (d *dir) Remove(name string) error               { return d.root.Remove(name) }
func (d *dir) Symlink(target, name string) error      { return d.root.Symlink(target, name) }
func (d *dir) Readlink(name string) (string, error)   { return d.root.Readlink(name) }
func (d *dir) Lstat(name string) (fs.FileInfo, error) { return d.root.Lstat(name) }
func (d *dir) Close() error                           { return d.root.Close() }

func (d *dir) ReadDir(name string) ([]fs.DirEntry, error) {
	f, err := d.root.Open(name)
	if err != nil {
		return nil, err
	}
	entries, err := f.ReadDir(-1)
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, errors.Join(err, f.Close())
}

func (d *dir) SyncDir(name string) error {
	f, err := d.root.Open(name)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}

func (d *dir) Check() error {
	now, err := os.Lstat(d.path)
	if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(now, d.self) {
		return fmt.Errorf("%s: %w", d.path, ErrMoved)
	}
	return err
}

// file is a file on disk.
type file struct{ *os.File }

func (f file) Sync() error {
	if err := syncData(f.File); err != nil {
		return &fs.PathError{Op: "sync", Path: f.Name(), Err: err}
	}
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if s, ok := info.Sys().(*syscall.Stat_t); ok && s.Nlink == 0 {
		return &fs.PathError{Op: "sync", Path: f.Name(), Err: ErrMoved}
	}
	return nil
}

func (f file) Lock() error {
	err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB)
	switch {
	case errors.Is(err, syscall.EWOULDBLOCK):
		return ErrLocked
	case err != nil:
		return &fs.PathError{Op: "flock", Path: f.Name(), Err: err}
	}
	return nil
}
