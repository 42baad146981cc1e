package campaign

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/results/fsys"
	"mpf/results/lastword"
)

// TestTempOnAnotherDevice wants an error of storage, not a copy that a crash
// could cut.
func TestTempOnAnotherDevice(t *testing.T) {
	enginetest.NeedRoot(t)
	dir := t.TempDir()
	must(t, os.Mkdir(filepath.Join(dir, fsys.TempDir), 0o700))
	if err := syscall.Mount("tmpfs", filepath.Join(dir, fsys.TempDir), "tmpfs", 0, "size=4m"); err != nil {
		enginetest.Unmet(t, "cannot mount: %v", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(filepath.Join(dir, fsys.TempDir), 0)) })
	if _, err := Create(dir, testPlan(1, 1), nil, testConfig()); !errors.Is(err, syscall.EXDEV) {
		t.Errorf("tmp on another device: %v", err)
	}
}

// TestReadOnlyDirectory uses a mount, which also stops root.
func TestReadOnlyDirectory(t *testing.T) {
	enginetest.NeedRoot(t)
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=4m"); err != nil {
		enginetest.Unmet(t, "cannot mount: %v", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, 0)) })
	plan := testPlan(2, 1)
	c, err := Create(dir, plan, nil, testConfig())
	must(t, err)
	must(t, execute(c, runsOf(plan)[0]))
	must(t, c.Close())
	must(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT|syscall.MS_RDONLY, ""))
	var storage *StorageError
	if _, err := Open(dir, testConfig()); !errors.As(err, &storage) || !errors.Is(err, syscall.EROFS) {
		t.Errorf("a read-only directory: %v", err)
	}
	must(t, readDir(t, dir).Close())
	must(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT, ""))
	c, err = Open(dir, testConfig())
	must(t, err)
	must(t, goOn(c, plan, ignore))
	must(t, c.Close())
}

// TestFullDisk fills a small file system, frees some space and goes on.
func TestFullDisk(t *testing.T) {
	enginetest.NeedRoot(t)
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=1m"); err != nil {
		enginetest.Unmet(t, "cannot mount: %v", err)
	}
	t.Cleanup(func() { must(t, syscall.Unmount(dir, 0)) })
	plan := testPlan(100, 1)
	out := filepath.Join(dir, "out")
	config := testConfig()
	config.reserve = 256 << 10
	c, err := Create(out, plan, nil, config)
	must(t, err)
	ballast := filepath.Join(dir, "ballast")
	must(t, os.WriteFile(ballast, make([]byte, 600<<10), 0o600))
	acknowledged := 0
	err = goOn(c, plan, func(engine.Run) { acknowledged++ })
	var storage *StorageError
	if !errors.As(err, &storage) || !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("a full disk after %d runs: %v", acknowledged, err)
	}
	if err := c.Close(); !errors.As(err, &storage) {
		t.Errorf("close: %v", err)
	}
	if _, err := os.Stat(filepath.Join(out, lastword.Name)); err != nil {
		t.Errorf("no word of the failure: %v", err)
	}
	must(t, os.Remove(ballast))
	must(t, syscall.Mount("", dir, "", syscall.MS_REMOUNT, "size=16m"))
	c, err = Open(out, config)
	must(t, err)
	again := 0
	must(t, goOn(c, plan, func(engine.Run) { again++ }))
	must(t, c.Close())
	if acknowledged == 0 || acknowledged+again != 100 {
		t.Errorf("%d runs, then %d", acknowledged, again)
	}
}
