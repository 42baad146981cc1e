package fsystest

import (
	"io/fs"
	"sync"

	"mpf/results/fsys"
)

// A Fault says which operation fails and how.
type Fault struct {
	At      int // the operation that fails, from 1; 0 is none
	Forever bool
	Err     error
	Short   func(n int) int // bytes that a failing write of n stores all the same, or nil
}

// Faults is a tree whose operations are counted and fail as told.
type Faults struct {
	tree  fsys.FS
	fault Fault

	mu    sync.Mutex
	count int
	hit   bool
}

var _ fsys.FS = (*Faults)(nil)

// NewFaults makes the operations of a tree fail.
func NewFaults(tree fsys.FS, fault Fault) *Faults { return &Faults{tree: tree, fault: fault} }

// Hit reports whether an operation has failed.
func (f *Faults) Hit() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.hit
}

// Count returns the number of operations so far.
func (f *Faults) Count() int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.count
}

// next counts an operation and returns its error.
func (f *Faults) next(op, name string) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	if f.fault.At == 0 || f.count < f.fault.At || f.count > f.fault.At && !f.fault.Forever {
		return nil
	}
	f.hit = true
	return &fs.PathError{Op: op, Path: name, Err: f.fault.Err}
}

// OpenFile implements fsys.FS.
func (f *Faults) OpenFile(name string, flag int) (fsys.File, error) {
	if err := f.next("open", name); err != nil {
		return nil, err
	}
	opened, err := f.tree.OpenFile(name, flag)
	if err != nil {
		return nil, err
	}
	return &faultyFile{opened, f, name}, nil
}

// Mkdir implements fsys.FS.
func (f *Faults) Mkdir(name string) error {
	if err := f.next("mkdir", name); err != nil {
		return err
	}
	return f.tree.Mkdir(name)
}

// Rename implements fsys.FS.
func (f *Faults) Rename(from, to string) error {
	if err := f.next("rename", to); err != nil {
		return err
	}
	return f.tree.Rename(from, to)
}

// Remove implements fsys.FS.
func (f *Faults) Remove(name string) error {
	if err := f.next("remove", name); err != nil {
		return err
	}
	return f.tree.Remove(name)
}

// Symlink implements fsys.FS.
func (f *Faults) Symlink(target, name string) error {
	if err := f.next("symlink", name); err != nil {
		return err
	}
	return f.tree.Symlink(target, name)
}

// Readlink implements fsys.FS.
func (f *Faults) Readlink(name string) (string, error) {
	if err := f.next("readlink", name); err != nil {
		return "", err
	}
	return f.tree.Readlink(name)
}

// Lstat implements fsys.FS.
func (f *Faults) Lstat(name string) (fs.FileInfo, error) {
	if err := f.next("lstat", name); err != nil {
		return nil, err
	}
	return f.tree.Lstat(name)
}

// ReadDir implements fsys.FS.
func (f *Faults) ReadDir(name string) ([]fs.DirEntry, error) {
	if err := f.next("readdir", name); err != nil {
		return nil, err
	}
	return f.tree.ReadDir(name)
}

// SyncDir implements fsys.FS.
func (f *Faults) SyncDir(name string) error {
	if err := f.next("sync", name); err != nil {
		return err
	}
	return f.tree.SyncDir(name)
}

// Check implements fsys.FS.
func (f *Faults) Check() error {
	if err := f.next("check", "."); err != nil {
		return err
	}
	return f.tree.Check()
}

// Close implements fsys.FS. It never fails: nothing depends on it.
func (f *Faults) Close() error { return f.tree.Close() }
