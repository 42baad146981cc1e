package fsystest

import (
	"io"
	"io/fs"
	"maps"
	"path"
	"slices"
	"syscall"
	"time"

	"mpf/results/fsys"
)

// A node is a file, a directory (entries is not nil) or a symbolic link.
type node struct {
	number   uint64 // no other node of its tree has it
	links    int    // names that lead to it
	mode     fs.FileMode
	modified time.Time

	entries map[string]*node
	durable map[string]*node // as last synced
	home    slot             // of a directory: its durable name

	data   []byte
	synced []byte
	stamp  time.Time // as last synced
	dirty  []span    // of data, not yet in synced

	target string
	locked bool
}

// A slot is a name in a directory.
type slot struct {
	in   *node
	name string
}

// A span is the bytes from one offset to another.
type span struct{ from, to int }

func newFile() *node { return &node{mode: fsys.FileMode} }

func newDir() *node {
	return &node{mode: fs.ModeDir | fsys.DirMode, entries: map[string]*node{}, durable: map[string]*node{}}
}

func newLink(target string) *node {
	return &node{mode: fs.ModeSymlink | fsys.DirMode, target: target}
}

func (n *node) isDir() bool { return n.entries != nil }

func (n *node) lookup(name string) (*node, error) {
	if !n.isDir() {
		return nil, syscall.ENOTDIR
	}
	if e := n.entries[name]; e != nil {
		return e, nil
	}
	return nil, syscall.ENOENT
}

func (n *node) put(name string, e *node) {
	n.take(name)
	n.entries[name] = e
	e.links++
}

func (n *node) take(name string) {
	if e := n.entries[name]; e != nil {
		delete(n.entries, name)
		e.links--
	}
}

func (n *node) remove(name string) error {
	e, err := n.lookup(name)
	if err != nil {
		return err
	}
	if len(e.entries) > 0 {
		return syscall.ENOTEMPTY
	}
	n.take(name)
	return nil
}

func (n *node) rename(old string, to *node, name string) error {
	e, err := n.lookup(old)
	if err != nil {
		return err
	}
	if there := to.entries[name]; there != nil && len(there.entries) > 0 {
		return syscall.ENOTEMPTY
	}
	n.take(old)
	to.put(name, e)
	return nil
}

// syncNames makes the names in a directory durable. A directory has one place: a
// name that it had before is given up with that.
func (n *node) syncNames() {
	n.durable = maps.Clone(n.entries)
	for name, e := range n.durable {
		if !e.isDir() {
			continue
		}
		if before := e.home; before.in != nil && before.in.entries[before.name] != e && before.in.durable[before.name] == e {
			delete(before.in.durable, before.name)
		}
		e.home = slot{n, name}
	}
}

func (n *node) readAt(p []byte, at int) (int, error) {
	read := copy(p, n.data[min(at, len(n.data)):])
	if read < len(p) {
		return read, io.EOF
	}
	return read, nil
}

func (n *node) write(at int, p []byte, now time.Time) {
	from, end := min(at, len(n.data)), at+len(p) // a gap is written too
	if end > len(n.data) {
		n.data = append(n.data, make([]byte, end-len(n.data))...)
	}
	copy(n.data[at:], p)
	n.dirty = append(n.dirty, span{from, end})
	n.modified = now
}

func (n *node) truncate(size int, now time.Time) {
	n.write(len(n.data), make([]byte, max(size-len(n.data), 0)), now)
	n.data = slices.Clone(n.data[:size])
}

// sync makes the dirty bytes durable. Bytes whose sync failed are zeros.
func (n *node) sync() {
	if len(n.synced) > len(n.data) {
		n.synced = n.synced[:len(n.data)]
	}
	n.synced = append(n.synced, make([]byte, len(n.data)-len(n.synced))...)
	for _, s := range n.dirty {
		if to := min(s.to, len(n.data)); s.from < to {
			copy(n.synced[s.from:to], n.data[s.from:to])
		}
	}
	n.dirty, n.stamp = nil, n.modified
}

func (n *node) walk(at string, visit func(name string)) {
	if !n.isDir() {
		visit(at)
	}
	for name, e := range n.entries {
		e.walk(path.Join(at, name), visit)
	}
}

func (n *node) info(name string) fs.FileInfo {
	return info{name, n.mode, int64(len(n.data)), n.modified}
}

// info is the fs.FileInfo of a node.
type info struct {
	name     string
	mode     fs.FileMode
	size     int64
	modified time.Time
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return i.modified }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }
