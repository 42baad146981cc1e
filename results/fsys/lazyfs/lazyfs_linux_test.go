package lazyfs_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"mpf/engine/enginetest"
	"mpf/results/fsys"
	"mpf/results/fsys/fsystest"
	"mpf/results/fsys/lazyfs"
)

// What a program did through the kernel is lost unless it was synced.
func TestWhatIsNotSyncedIsLost(t *testing.T) {
	dir := t.TempDir()
	m := fsystest.NewMemory()
	m.Now = time.Now
	disk := mount(t, dir, m)
	tree, err := fsys.OpenDir(dir)
	must(t, err)
	must(t, fsys.MakeDir(tree, fsys.TempDir))
	must(t, fsys.WriteFile(tree, "kept", []byte("old")))
	must(t, os.WriteFile(filepath.Join(dir, "kept"), []byte("newer"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "unnamed"), []byte("x"), 0o600))
	must(t, os.Symlink("kept", filepath.Join(dir, "link")))
	wantFile(t, filepath.Join(dir, "link"), "newer")
	must(t, os.Mkdir(filepath.Join(dir, "made"), 0o700))
	if err := os.Remove(filepath.Join(dir, fsys.TempDir)); err != nil {
		t.Error(err)
	}
	must(t, tree.Close())
	must(t, disk.Unmount())

	disk = mount(t, dir, m.Crash())
	entries, err := os.ReadDir(dir)
	must(t, err)
	if len(entries) != 2 || entries[0].Name() != "kept" || entries[1].Name() != fsys.TempDir {
		t.Errorf("left: %v", entries)
	}
	wantFile(t, filepath.Join(dir, "kept"), "old")
	must(t, disk.Unmount())
}

// From an outage on every call fails, whoever makes it.
func TestAnOutageIsForAll(t *testing.T) {
	dir := t.TempDir()
	m := fsystest.NewMemory()
	disk := mount(t, dir, m)
	came := m.OutageAt(3) // creation, write
	must(t, os.WriteFile(filepath.Join(dir, "a"), []byte("x"), 0o600))
	if err := os.Mkdir(filepath.Join(dir, "b"), 0o700); !errors.Is(err, syscall.EIO) {
		t.Errorf("after the outage: %v", err)
	}
	<-came
	if _, err := os.ReadDir(dir); !errors.Is(err, syscall.EIO) {
		t.Errorf("after the outage: %v", err)
	}
	must(t, disk.Unmount())
}

// An open file outlives its name and the file that takes it.
func TestAFileThatIsReplacedWhileOpen(t *testing.T) {
	dir := t.TempDir()
	disk := mount(t, dir, fsystest.NewMemory())
	must(t, os.WriteFile(filepath.Join(dir, "a"), []byte("old"), 0o600))
	must(t, os.WriteFile(filepath.Join(dir, "b"), []byte("new"), 0o600))
	f, err := os.Open(filepath.Join(dir, "a"))
	must(t, err)
	must(t, os.Rename(filepath.Join(dir, "b"), filepath.Join(dir, "a")))
	info, err := f.Stat()
	must(t, err)
	if s, ok := info.Sys().(*syscall.Stat_t); !ok || s.Nlink != 0 {
		t.Errorf("the replaced file has links: %+v", info.Sys())
	}
	wantFile(t, filepath.Join(dir, "a"), "new")
	old := make([]byte, 3)
	_, err = f.ReadAt(old, 0)
	must(t, err)
	if string(old) != "old" {
		t.Errorf("the open file holds %q", old)
	}
	must(t, f.Close())
	must(t, disk.Unmount())
}

func mount(t *testing.T, dir string, m *fsystest.Memory) *lazyfs.Disk {
	t.Helper()
	enginetest.NeedRoot(t)
	disk, err := lazyfs.Mount(dir, m)
	if err != nil {
		enginetest.Unmet(t, "cannot mount a file system by /dev/fuse: %v", err)
	}
	t.Cleanup(func() { must(t, disk.Unmount()) })
	return disk
}

func wantFile(t *testing.T, path, want string) {
	t.Helper()
	got, err := os.ReadFile(path)
	must(t, err)
	if string(got) != want {
		t.Errorf("%s holds %q, want %q", path, got, want)
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
