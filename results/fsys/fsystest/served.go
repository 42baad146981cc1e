package fsystest

import (
	"io/fs"
	"maps"
	"slices"
	"syscall"
	"time"
)

// A Node is a file, a directory or a symbolic link of a Memory, for who serves
// the tree to a kernel, which knows nodes and not names. Its errors are
// syscall.Errno.
type Node struct {
	in *Memory
	at *node
}

// An Attr is what a kernel knows of a node.
type Attr struct {
	Number   uint64
	Mode     fs.FileMode
	Size     int64
	Links    int
	Modified time.Time
}

// Root returns the directory of the whole tree.
func (m *Memory) Root() Node { return Node{m, m.root} }

// see runs f under the lock unless the power is gone.
func (n Node) see(do func() error) error {
	n.in.mu.Lock()
	defer n.in.mu.Unlock()
	if n.in.gone {
		return syscall.EIO
	}
	return do()
}

// change runs f under the lock as a change of the tree.
func (n Node) change(do func() error) error {
	return n.see(func() error {
		if n.in.ends() {
			n.in.gone = true
			return syscall.EIO
		}
		return do()
	})
}

// Attr describes the node.
func (n Node) Attr() (a Attr, err error) {
	err = n.see(func() error {
		a = Attr{n.at.number, n.at.mode, int64(len(n.at.data) + len(n.at.target)), n.at.links, n.at.modified}
		return nil
	})
	return a, err
}

// Target returns where a symbolic link leads.
func (n Node) Target() (target string, err error) {
	err = n.see(func() error { target = n.at.target; return nil })
	return target, err
}

// Lookup finds a name in a directory.
func (n Node) Lookup(name string) (found Node, err error) {
	err = n.see(func() error {
		e, err := n.at.lookup(name)
		found = Node{n.in, e}
		return err
	})
	return found, err
}

// Names lists a directory, sorted.
func (n Node) Names() (names []string, err error) {
	err = n.see(func() error { names = slices.Sorted(maps.Keys(n.at.entries)); return nil })
	return names, err
}

// Create makes an empty file.
func (n Node) Create(name string) (Node, error) { return n.add(name, newFile()) }

// Mkdir makes a directory.
func (n Node) Mkdir(name string) (Node, error) { return n.add(name, newDir()) }

// Symlink makes a symbolic link.
func (n Node) Symlink(target, name string) (Node, error) { return n.add(name, newLink(target)) }

func (n Node) add(name string, e *node) (Node, error) {
	err := n.change(func() error {
		if n.at.entries[name] != nil {
			return syscall.EEXIST
		}
		n.at.put(name, n.in.made(e))
		return nil
	})
	return Node{n.in, e}, err
}

// Remove removes a name. A file that is open stays until it is closed.
func (n Node) Remove(name string) error {
	return n.change(func() error { return n.at.remove(name) })
}

// Rename moves a name to another one, which may be taken.
func (n Node) Rename(old string, to Node, name string) error {
	return n.change(func() error { return n.at.rename(old, to.at, name) })
}

// ReadAt reads what there is, which may be less than p.
func (n Node) ReadAt(p []byte, at int64) (read int, err error) {
	err = n.see(func() error { read, _ = n.at.readAt(p, int(at)); return nil }) // short at the end
	return read, err
}

// WriteAt writes all of p.
func (n Node) WriteAt(p []byte, at int64) error {
	return n.change(func() error { n.at.write(int(at), p, n.in.now()); return nil })
}

// Truncate sets the size of a file.
func (n Node) Truncate(size int64) error {
	return n.change(func() error { n.at.truncate(int(size), n.in.now()); return nil })
}

// Chmod sets the permissions, as if they were synced at once: nothing relies on
// when they are.
func (n Node) Chmod(perm fs.FileMode) error {
	return n.change(func() error { n.at.mode = n.at.mode.Type() | perm.Perm(); return nil })
}

// Sync makes the data of a file, or the names in a directory, durable.
func (n Node) Sync() error {
	return n.change(func() error {
		if n.at.isDir() {
			n.at.syncNames()
		} else {
			n.at.sync()
		}
		return nil
	})
}
