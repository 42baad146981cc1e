package fsystest

import (
	"io"
	"io/fs"
	"path"
	"syscall"

	"mpf/results/fsys"
)

// file is an open file of a Memory.
type file struct {
	in     *Memory
	node   *node
	name   string
	at     int
	locked bool
}

var _ fsys.File = (*file)(nil)

// do runs f under the tree's lock, unless the tree is gone.
func (f *file) do(op string, do func() error) error {
	f.in.mu.Lock()
	defer f.in.mu.Unlock()
	if f.in.gone {
		return &fs.PathError{Op: op, Path: f.name, Err: syscall.EIO}
	}
	return do()
}

func (f *file) Read(p []byte) (n int, err error) {
	err = f.do("read", func() error {
		n, err = f.node.readAt(p, f.at)
		f.at += n
		return err
	})
	if n > 0 && err == io.EOF {
		err = nil
	}
	return n, err
}

func (f *file) ReadAt(p []byte, at int64) (n int, err error) {
	err = f.do("read", func() error {
		n, err = f.node.readAt(p, int(at))
		return err
	})
	return n, err
}

func (f *file) Write(p []byte) (int, error) {
	return len(p), f.do("write", func() error {
		f.node.write(f.at, p, f.in.now())
		f.at += len(p)
		return nil
	})
}

func (f *file) Truncate(size int64) error {
	return f.do("truncate", func() error {
		f.node.truncate(int(size), f.in.now())
		return nil
	})
}

func (f *file) Sync() error {
	return f.do("sync", func() error {
		f.node.sync()
		return nil
	})
}

// loseDirty is what a failed sync does: the kernel marks the pages clean.
func (f *file) loseDirty() {
	f.in.mu.Lock()
	defer f.in.mu.Unlock()
	f.node.dirty = nil
}

func (f *file) Lock() error {
	return f.do("flock", func() error {
		if f.node.locked && !f.locked {
			return fsys.ErrLocked
		}
		f.node.locked, f.locked = true, true
		return nil
	})
}

func (f *file) Stat() (info fs.FileInfo, err error) {
	err = f.do("stat", func() error {
		info = f.node.info(path.Base(f.name))
		return nil
	})
	return info, err
}

func (f *file) Close() error {
	return f.do("close", func() error {
		if f.locked {
			f.node.locked = false
		}
		return nil
	})
}
