package fsys_test

import (
	"os"
	"path/filepath"
	"testing"

	"mpf/engine/enginetest"
	"mpf/results/fsys"
	"mpf/results/fsys/fsystest"
	"mpf/results/fsys/lazyfs"
)

// A directory is found again where it was made, with the directories above it.
func TestThePathToADirectoryIsMadeDurable(t *testing.T) {
	enginetest.NeedRoot(t)
	dir, m := t.TempDir(), fsystest.NewMemory()
	disk, err := lazyfs.Mount(dir, m)
	if err != nil {
		enginetest.Unmet(t, "cannot mount a file system by /dev/fuse: %v", err)
	}
	must(t, os.MkdirAll(filepath.Join(dir, "a", "b", "c"), 0o700))
	must(t, fsys.SyncPath(filepath.Join(dir, "a", "b", "c")))
	must(t, disk.Unmount())
	if _, err := m.Crash().Lstat("a/b/c"); err != nil {
		t.Error(err)
	}
}
