package lazyfs

import (
	"errors"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"

	"mpf/results/fsys/fsystest"
)

// A Disk is a mounted tree.
type Disk struct{ server *fuse.Server }

// Mount serves a tree at a directory. It needs /dev/fuse and the right to mount,
// and no program. Whoever calls it must not start a program in that directory: it
// would wait for an answer that its parent cannot give.
func Mount(dir string, tree *fsystest.Memory) (*Disk, error) {
	server, err := fs.Mount(dir, &node{at: tree.Root()}, &fs.Options{
		MountOptions: fuse.MountOptions{Name: "lazyfs", DirectMountStrict: true},
	})
	if err != nil {
		return nil, err
	}
	return &Disk{server}, nil
}

// Unmount takes the tree away, once nobody has a file of it open: a program that
// is being started has all that its parent has, for a moment.
func (d *Disk) Unmount() error {
	for end := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		err := d.server.Unmount()
		if !errors.Is(err, syscall.EBUSY) || time.Now().After(end) {
			return err
		}
	}
}
