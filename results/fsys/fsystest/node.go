package fsystest

import (
	"io/fs"
	"path"
	"slices"
	"time"
)

// A node is a file, a directory (entries is not nil) or a symbolic link.
type node struct {
	entries map[string]*node
	durable map[string]*node // as last synced

	data   []byte
	synced []byte
	dirty  []span // of data, not yet in synced

	target string
	locked bool
}

// A span is the bytes from one offset to another.
type span struct{ from, to int }

func newDir() *node { return &node{entries: map[string]*node{}, durable: map[string]*node{}} }

func (n *node) isDir() bool { return n.entries != nil }

func (n *node) write(at int, p []byte) {
	if end := at + len(p); end > len(n.data) {
		n.data = append(n.data, make([]byte, end-len(n.data))...)
	}
	copy(n.data[at:], p)
	n.dirty = append(n.dirty, span{at, at + len(p)})
}

func (n *node) truncate(size int) {
	n.data = slices.Clone(n.data[:min(size, len(n.data))])
	n.data = append(n.data, make([]byte, size-len(n.data))...)
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
	n.dirty = nil
}

// copy copies what can be read. A node with two names stays one.
func (n *node) copy(seen map[*node]*node) *node {
	if c := seen[n]; c != nil {
		return c
	}
	c := &node{data: slices.Clone(n.data), synced: slices.Clone(n.synced), dirty: slices.Clone(n.dirty), target: n.target}
	seen[n] = c
	if n.isDir() {
		c.entries, c.durable = map[string]*node{}, map[string]*node{}
		for name, e := range n.entries {
			c.entries[name] = e.copy(seen)
		}
		for name, e := range n.durable {
			c.durable[name] = e.copy(seen)
		}
	}
	return c
}

// durableCopy copies what is synced.
func (n *node) durableCopy(seen map[*node]*node) *node {
	if c := seen[n]; c != nil {
		return c
	}
	c := &node{data: slices.Clone(n.synced), synced: slices.Clone(n.synced), target: n.target}
	seen[n] = c
	if n.isDir() {
		c.entries, c.durable = map[string]*node{}, map[string]*node{}
		for name, e := range n.durable {
			e := e.durableCopy(seen)
			c.entries[name], c.durable[name] = e, e
		}
	}
	return c
}

func (n *node) walk(at string, visit func(name string)) {
	if !n.isDir() {
		visit(at)
	}
	for name, e := range n.entries {
		e.walk(path.Join(at, name), visit)
	}
}

func (n *node) info(name string) fs.FileInfo { return info{name, n.mode(), int64(len(n.data))} }

func (n *node) mode() fs.FileMode {
	switch {
	case n.isDir():
		return fs.ModeDir | 0o700
	case n.target != "":
		return fs.ModeSymlink | 0o700
	}
	return 0o600
}

// info is the fs.FileInfo of a node.
type info struct {
	name string
	mode fs.FileMode
	size int64
}

func (i info) Name() string       { return i.name }
func (i info) Size() int64        { return i.size }
func (i info) Mode() fs.FileMode  { return i.mode }
func (i info) ModTime() time.Time { return time.Time{} }
func (i info) IsDir() bool        { return i.mode.IsDir() }
func (i info) Sys() any           { return nil }
