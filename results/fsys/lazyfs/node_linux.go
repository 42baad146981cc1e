package lazyfs

import (
	"context"
	"errors"
	iofs "io/fs"
	"syscall"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"mpf/results/fsys/fsystest"
)

// A node answers the kernel for a node of the tree.
type node struct {
	fs.Inode
	at fsystest.Node
}

var (
	_ fs.NodeLookuper   = (*node)(nil)
	_ fs.NodeReaddirer  = (*node)(nil)
	_ fs.NodeGetattrer  = (*node)(nil)
	_ fs.NodeSetattrer  = (*node)(nil)
	_ fs.NodeCreater    = (*node)(nil)
	_ fs.NodeOpener     = (*node)(nil)
	_ fs.NodeReader     = (*node)(nil)
	_ fs.NodeWriter     = (*node)(nil)
	_ fs.NodeFsyncer    = (*node)(nil)
	_ fs.NodeMkdirer    = (*node)(nil)
	_ fs.NodeUnlinker   = (*node)(nil)
	_ fs.NodeRmdirer    = (*node)(nil)
	_ fs.NodeRenamer    = (*node)(nil)
	_ fs.NodeSymlinker  = (*node)(nil)
	_ fs.NodeReadlinker = (*node)(nil)
)

// errno returns the number of an error, which only the tree has made.
func errno(err error) syscall.Errno {
	var number syscall.Errno
	if err != nil && !errors.As(err, &number) {
		return syscall.EIO
	}
	return number
}

func (n *node) fill(out *fuse.Attr) syscall.Errno {
	a, err := n.at.Attr()
	if err != nil {
		return errno(err)
	}
	out.Ino, out.Mode, out.Size = a.Number, kind(a.Mode)|uint32(a.Mode.Perm()), uint64(a.Size)
	out.Nlink, out.Blocks = uint32(a.Links), (out.Size+511)/512
	if !a.Modified.IsZero() {
		out.SetTimes(&a.Modified, &a.Modified, &a.Modified)
	}
	return 0
}

func kind(mode iofs.FileMode) uint32 {
	switch {
	case mode.IsDir():
		return syscall.S_IFDIR
	case mode&iofs.ModeSymlink != 0:
		return syscall.S_IFLNK
	}
	return syscall.S_IFREG
}

// found gives the kernel a node that was looked up or made.
func (n *node) found(ctx context.Context, at fsystest.Node, err error, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	if err != nil {
		return nil, errno(err)
	}
	child := &node{at: at}
	if number := child.fill(&out.Attr); number != 0 {
		return nil, number
	}
	return n.NewInode(ctx, child, fs.StableAttr{Mode: out.Mode & syscall.S_IFMT, Ino: out.Ino}), 0
}

func (n *node) Lookup(ctx context.Context, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	at, err := n.at.Lookup(name)
	return n.found(ctx, at, err, out)
}

func (n *node) Readdir(context.Context) (fs.DirStream, syscall.Errno) {
	names, err := n.at.Names()
	if err != nil {
		return nil, errno(err)
	}
	var entries []fuse.DirEntry
	for _, name := range names {
		at, err := n.at.Lookup(name)
		if errors.Is(err, syscall.ENOENT) {
			continue // removed meanwhile
		}
		a, attrErr := at.Attr()
		if err := errors.Join(err, attrErr); err != nil {
			return nil, errno(err)
		}
		entries = append(entries, fuse.DirEntry{Name: name, Mode: kind(a.Mode), Ino: a.Number})
	}
	return fs.NewListDirStream(entries), 0
}

func (n *node) Getattr(_ context.Context, _ fs.FileHandle, out *fuse.AttrOut) syscall.Errno {
	return n.fill(&out.Attr)
}

// Setattr knows sizes and permissions. Times are those of the changes.
func (n *node) Setattr(_ context.Context, _ fs.FileHandle, in *fuse.SetAttrIn, out *fuse.AttrOut) syscall.Errno {
	if in.Valid&(fuse.FATTR_UID|fuse.FATTR_GID) != 0 {
		return syscall.ENOTSUP
	}
	if mode, ok := in.GetMode(); ok {
		if err := n.at.Chmod(iofs.FileMode(mode)); err != nil {
			return errno(err)
		}
	}
	if size, ok := in.GetSize(); ok {
		if err := n.at.Truncate(int64(size)); err != nil {
			return errno(err)
		}
	}
	return n.fill(&out.Attr)
}

func (n *node) Create(ctx context.Context, name string, _, _ uint32, out *fuse.EntryOut) (*fs.Inode, fs.FileHandle, uint32, syscall.Errno) {
	at, err := n.at.Create(name)
	child, number := n.found(ctx, at, err, out)
	return child, nil, 0, number
}

func (n *node) Open(_ context.Context, flags uint32) (fs.FileHandle, uint32, syscall.Errno) {
	if flags&syscall.O_TRUNC != 0 {
		return nil, 0, errno(n.at.Truncate(0))
	}
	return nil, 0, 0
}

func (n *node) Read(_ context.Context, _ fs.FileHandle, dest []byte, off int64) (fuse.ReadResult, syscall.Errno) {
	read, err := n.at.ReadAt(dest, off)
	return fuse.ReadResultData(dest[:read]), errno(err)
}

func (n *node) Write(_ context.Context, _ fs.FileHandle, data []byte, off int64) (uint32, syscall.Errno) {
	return uint32(len(data)), errno(n.at.WriteAt(data, off))
}

// Fsync is also that of a directory.
func (n *node) Fsync(context.Context, fs.FileHandle, uint32) syscall.Errno { return errno(n.at.Sync()) }

func (n *node) Mkdir(ctx context.Context, name string, _ uint32, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	at, err := n.at.Mkdir(name)
	return n.found(ctx, at, err, out)
}

func (n *node) Symlink(ctx context.Context, target, name string, out *fuse.EntryOut) (*fs.Inode, syscall.Errno) {
	at, err := n.at.Symlink(target, name)
	return n.found(ctx, at, err, out)
}

func (n *node) Readlink(context.Context) ([]byte, syscall.Errno) {
	target, err := n.at.Target()
	return []byte(target), errno(err)
}

func (n *node) Unlink(_ context.Context, name string) syscall.Errno { return errno(n.at.Remove(name)) }
func (n *node) Rmdir(_ context.Context, name string) syscall.Errno  { return errno(n.at.Remove(name)) }

func (n *node) Rename(_ context.Context, name string, to fs.InodeEmbedder, as string, flags uint32) syscall.Errno {
	target, ok := to.(*node)
	if !ok || flags != 0 {
		return syscall.EINVAL
	}
	return errno(n.at.Rename(name, target.at, as))
}
