package fsys

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// SyncPath makes the names durable that lead to a directory, those too that were
// there before: whoever made them may have died before they were synced. It goes up
// to the root of the file system, or to a directory that may not be read.
func SyncPath(dir string) error {
	dir, err := filepath.EvalSymlinks(dir)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err != nil {
		return err
	}
	for up := filepath.Dir(dir); up != dir; dir, up = up, filepath.Dir(up) {
		if onDisk, err := sameDisk(dir, up); err != nil || !onDisk {
			return err
		}
		err := syncNames(up)
		if errors.Is(err, fs.ErrPermission) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func sameDisk(a, b string) (bool, error) {
	var x, y syscall.Stat_t
	if err := errors.Join(syscall.Stat(a, &x), syscall.Stat(b, &y)); err != nil {
		return false, err
	}
	return x.Dev == y.Dev, nil
}

func syncNames(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
