package fsystest

import (
	"io/fs"
	"maps"
	"os"
	"path"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"mpf/results/fsys"
)

// Memory is a tree in memory.
type Memory struct {
	// Now says when a file is changed. Where it is nil, files bear no time.
	Now func() time.Time

	mu    sync.Mutex
	root  *node
	nodes uint64 // made so far
	gone  bool
	outage
}

var _ fsys.FS = (*Memory)(nil)

// NewMemory returns an empty tree.
func NewMemory() *Memory {
	m := &Memory{}
	m.root = m.made(newDir())
	m.root.links++
	return m
}

// made numbers a new node. The caller holds the lock, if anybody else knows m.
func (m *Memory) made(n *node) *node {
	m.nodes++
	n.number, n.modified = m.nodes, m.now()
	return n
}

func (m *Memory) now() time.Time {
	if m.Now == nil {
		return time.Time{}
	}
	return m.Now()
}

// Names lists all files, sorted, for comparisons.
func (m *Memory) Names() []string {
	m.mu.Lock()
	defer m.mu.Unlock()
	var names []string
	m.root.walk("", func(name string) { names = append(names, name) })
	slices.Sort(names)
	return names
}

// find returns the node of a name. The caller holds the lock.
func (m *Memory) find(op, name string) (*node, error) {
	if m.gone {
		return nil, &fs.PathError{Op: op, Path: name, Err: syscall.EIO}
	}
	n := m.root
	for _, part := range split(name) {
		var err error
		if n, err = n.lookup(part); err != nil {
			return nil, &fs.PathError{Op: op, Path: name, Err: err}
		}
	}
	return n, nil
}

// parent returns the directory of a name and its last part.
func (m *Memory) parent(op, name string) (*node, string, error) {
	n, err := m.find(op, path.Dir(name))
	if err == nil && !n.isDir() {
		err = &fs.PathError{Op: op, Path: name, Err: syscall.ENOTDIR}
	}
	return n, path.Base(name), err
}

// OpenFile implements fsys.FS.
func (m *Memory) OpenFile(name string, flag int) (fsys.File, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	in, base, err := m.parent("open", name)
	if err != nil {
		return nil, err
	}
	n := in.entries[base]
	switch {
	case n == nil && flag&os.O_CREATE == 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	case n == nil:
		n = m.made(newFile())
		in.put(base, n)
	case flag&os.O_EXCL != 0:
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrExist}
	case n.isDir():
		return nil, &fs.PathError{Op: "open", Path: name, Err: syscall.EISDIR}
	case flag&os.O_TRUNC != 0:
		n.truncate(0, m.now())
	}
	return &file{in: m, node: n, name: name}, nil
}

// Mkdir implements fsys.FS.
func (m *Memory) Mkdir(name string) error { return m.add("mkdir", name, newDir()) }

// Symlink implements fsys.FS.
func (m *Memory) Symlink(target, name string) error {
	return m.add("symlink", name, newLink(target))
}

func (m *Memory) add(op, name string, n *node) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	in, base, err := m.parent(op, name)
	if err != nil {
		return err
	}
	if in.entries[base] != nil {
		return &fs.PathError{Op: op, Path: name, Err: fs.ErrExist}
	}
	in.put(base, m.made(n))
	return nil
}

// Readlink implements fsys.FS.
func (m *Memory) Readlink(name string) (string, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find("readlink", name)
	if err != nil {
		return "", err
	}
	return n.target, nil
}

// Rename implements fsys.FS.
func (m *Memory) Rename(from, to string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	a, old, err := m.parent("rename", from)
	if err != nil {
		return err
	}
	b, name, err := m.parent("rename", to)
	if err != nil {
		return err
	}
	if err := a.rename(old, b, name); err != nil {
		return &fs.PathError{Op: "rename", Path: to, Err: err}
	}
	return nil
}

// Remove implements fsys.FS.
func (m *Memory) Remove(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	in, base, err := m.parent("remove", name)
	if err != nil {
		return err
	}
	if err := in.remove(base); err != nil {
		return &fs.PathError{Op: "remove", Path: name, Err: err}
	}
	return nil
}

// Lstat implements fsys.FS.
func (m *Memory) Lstat(name string) (fs.FileInfo, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find("lstat", name)
	if err != nil {
		return nil, err
	}
	return n.info(path.Base(name)), nil
}

// ReadDir implements fsys.FS.
func (m *Memory) ReadDir(name string) ([]fs.DirEntry, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find("readdir", name)
	if err != nil {
		return nil, err
	}
	var entries []fs.DirEntry
	for _, base := range slices.Sorted(maps.Keys(n.entries)) {
		entries = append(entries, fs.FileInfoToDirEntry(n.entries[base].info(base)))
	}
	return entries, nil
}

// SyncDir implements fsys.FS.
func (m *Memory) SyncDir(name string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	n, err := m.find("syncdir", name)
	if err != nil {
		return err
	}
	n.syncNames()
	return nil
}

// Check implements fsys.FS.
func (m *Memory) Check() error { return nil }

// Close implements fsys.FS.
func (m *Memory) Close() error { return nil }

func split(name string) []string {
	if name = path.Clean(name); name == "." {
		return nil
	}
	return strings.Split(name, "/")
}
