package fsys_test

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"mpf/results/fsys"
	"mpf/results/fsys/fsystest"
)

// TestTrees runs one suite over every tree.
func TestTrees(t *testing.T) {
	trees := map[string]func(t *testing.T) fsys.FS{
		"disk":     func(t *testing.T) fsys.FS { return open(t, t.TempDir()) },
		"unsynced": func(t *testing.T) fsys.FS { return fsys.Unsynced(open(t, t.TempDir())) },
		"memory":   func(*testing.T) fsys.FS { return fsystest.NewMemory() },
		"faults":   func(*testing.T) fsys.FS { return fsystest.NewFaults(fsystest.NewMemory(), fsystest.Fault{}) },
	}
	for name, make := range trees {
		t.Run(name, func(t *testing.T) { testTree(t, make(t)) })
	}
}

func testTree(t *testing.T, tree fsys.FS) {
	must(t, fsys.MakeDir(tree, "a/b"))
	must(t, fsys.MakeDir(tree, fsys.TempDir))
	must(t, fsys.WriteFile(tree, "a/b/x", []byte("one")))
	must(t, fsys.WriteFile(tree, "a/b/x", []byte("two")))
	data, err := fsys.ReadFile(tree, "a/b/x", 3)
	must(t, err)
	if string(data) != "two" {
		t.Errorf("read %q", data)
	}
	if _, err := fsys.ReadFile(tree, "a/b/x", 2); err == nil {
		t.Error("a file above the limit was read")
	}
	if _, err := fsys.Create(tree, "a/b/x"); !errors.Is(err, fs.ErrExist) {
		t.Errorf("creating a file that exists: %v", err)
	}
	if err := tree.Remove("a"); err == nil {
		t.Error("a directory that is not empty was removed")
	}
	must(t, tree.Symlink("a/b", "link"))
	if target, err := tree.Readlink("link"); err != nil || target != "a/b" {
		t.Errorf("link leads to %q, %v", target, err)
	}
	entries, err := tree.ReadDir(".")
	must(t, err)
	if len(entries) != 3 || entries[0].Name() != "a" || entries[1].Name() != "link" {
		t.Errorf("entries: %v", entries)
	}
	must(t, fsys.RemoveTree(tree, "a"))
	must(t, fsys.RemoveTree(tree, "a"))
	if _, err := tree.Lstat("a"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("after removal: %v", err)
	}
	must(t, tree.Check())
	testLock(t, tree)
}

func testLock(t *testing.T, tree fsys.FS) {
	a, err := tree.OpenFile("lock", os.O_RDWR|os.O_CREATE)
	must(t, err)
	must(t, a.Lock())
	b, err := tree.OpenFile("lock", os.O_RDWR|os.O_CREATE)
	must(t, err)
	if err := b.Lock(); !errors.Is(err, fsys.ErrLocked) {
		t.Errorf("second lock: %v", err)
	}
	must(t, a.Close())
	must(t, b.Lock())
	must(t, b.Close())
}

func TestNothingLeavesTheRoot(t *testing.T) {
	base := t.TempDir()
	must(t, os.WriteFile(filepath.Join(base, "secret"), nil, 0o600))
	must(t, os.Mkdir(filepath.Join(base, "root"), 0o700))
	must(t, os.Symlink("../secret", filepath.Join(base, "root", "link")))
	tree := open(t, filepath.Join(base, "root"))
	for _, name := range []string{"../secret", "link", filepath.Join(base, "secret")} {
		if _, err := fsys.Open(tree, name); err == nil {
			t.Errorf("%s was opened", name)
		}
	}
}

func TestReplacedTreeIsNoticed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out")
	must(t, os.Mkdir(path, 0o700))
	tree := open(t, path)
	f, err := fsys.Create(tree, "x")
	must(t, err)
	defer f.Close()
	must(t, f.Sync())
	must(t, os.RemoveAll(path))
	if err := f.Sync(); !errors.Is(err, fsys.ErrMoved) {
		t.Errorf("sync of a removed file: %v", err)
	}
	if err := tree.Check(); !errors.Is(err, fsys.ErrMoved) {
		t.Errorf("removed tree: %v", err)
	}
	must(t, os.Mkdir(path, 0o700))
	if err := tree.Check(); !errors.Is(err, fsys.ErrMoved) {
		t.Errorf("replaced tree: %v", err)
	}
}

func TestLinkedRootIsRefused(t *testing.T) {
	link := filepath.Join(t.TempDir(), "link")
	must(t, os.Symlink(t.TempDir(), link))
	if _, err := fsys.OpenDir(link); !errors.Is(err, syscall.ENOTDIR) {
		t.Errorf("opening a symbolic link: %v", err)
	}
}

// TestCrashKeepsWhatIsSynced pins the model that the sweeps rely on.
func TestCrashKeepsWhatIsSynced(t *testing.T) {
	m := fsystest.NewMemory()
	must(t, fsys.MakeDir(m, fsys.TempDir))
	must(t, fsys.WriteFile(m, "kept", []byte("old")))
	write(t, m, "unnamed", true)
	write(t, m, "kept", false)
	must(t, m.Mkdir("gone"))
	m = m.Crash()
	if names := m.Names(); len(names) != 1 || names[0] != "kept" {
		t.Errorf("left: %v", names)
	}
	if data, err := fsys.ReadFile(m, "kept", 100); err != nil || string(data) != "old" {
		t.Errorf("kept holds %q, %v", data, err)
	}
}

// Whoever made a directory may have died before its name was synced.
func TestADirectoryThatIsThereAlreadyIsMadeDurable(t *testing.T) {
	m := fsystest.NewMemory()
	must(t, m.Mkdir("a"))
	must(t, m.Mkdir("a/b"))
	must(t, fsys.MakeDir(m, "a/b/c"))
	if _, err := m.Crash().Lstat("a/b/c"); err != nil {
		t.Error(err)
	}
}

// A rename that was not synced happened at both its ends or at neither, and so
// did one that made way for it.
func TestCrashKeepsRenamesWhole(t *testing.T) {
	for seed := range uint64(64) {
		m := fsystest.NewMemory()
		must(t, fsys.MakeDir(m, "old"))
		must(t, fsys.MakeDir(m, "new"))
		write(t, m, "old/mark", true)
		must(t, m.SyncDir("old"))
		must(t, m.Rename("old", "older"))
		must(t, m.Rename("new", "old"))
		m = m.CrashPartly(rand.New(rand.NewPCG(seed, 0)))
		before, after := m.Names()[0] == "old/mark", m.Names()[0] == "older/mark"
		_, err := m.Lstat("new")
		if before == after || before != (err == nil) {
			t.Errorf("seed %d: left: %v, new: %v", seed, m.Names(), err)
		}
	}
}

// What is left of a file is made of what was synced, of what was written, and of
// zeros.
func TestCrashTearsFiles(t *testing.T) {
	old, later := bytes.Repeat([]byte("o"), 9000), bytes.Repeat([]byte("n"), 9000)
	kinds := map[string]int{}
	for seed := range uint64(64) {
		m := fsystest.NewMemory()
		must(t, fsys.MakeDir(m, fsys.TempDir))
		must(t, fsys.WriteFile(m, "x", old))
		f, err := m.OpenFile("x", os.O_RDWR)
		must(t, err)
		_, err = io.Copy(io.Discard, f)
		must(t, err)
		_, err = f.Write(later)
		must(t, err)
		data, err := fsys.ReadFile(m.CrashPartly(rand.New(rand.NewPCG(seed, 0))), "x", 1<<20)
		must(t, err)
		if len(data) < len(old) || !bytes.Equal(data[:len(old)], old) || len(bytes.Trim(data, "on\x00")) > 0 {
			t.Fatalf("seed %d: %q", seed, data)
		}
		switch rest := data[len(old):]; {
		case len(rest) == 0:
			kinds["lost"]++
		case bytes.Equal(rest, later):
			kinds["kept"]++
		default:
			kinds["torn"]++
		}
	}
	if len(kinds) != 3 {
		t.Errorf("files are only %v", kinds)
	}
}

// TestReplaceIsAtomic fails every operation of a replacement: after a loss of
// power the file is the old one or the new one, and the new one if there was
// no error.
func TestReplaceIsAtomic(t *testing.T) {
	for k, hit := 1, true; hit; k++ {
		m := fsystest.NewMemory()
		must(t, fsys.MakeDir(m, fsys.TempDir))
		must(t, fsys.WriteFile(m, "x", []byte("old")))
		faults := fsystest.NewFaults(m, fsystest.Fault{At: k, Err: syscall.EIO})
		err := fsys.WriteFile(faults, "x", []byte("new"))
		hit = faults.Hit()
		data, readErr := fsys.ReadFile(m.Crash(), "x", 100)
		must(t, readErr)
		if text := string(data); text != "new" && (text != "old" || err == nil) {
			t.Errorf("operation %d: error %v, file %q", k, err, data)
		}
		if hit && err == nil {
			t.Errorf("operation %d: its error was lost", k)
		}
	}
}

func TestFailedSyncIsNeverMadeGood(t *testing.T) {
	m := fsystest.NewMemory()
	f, err := fsys.Create(fsystest.NewFaults(m, fsystest.Fault{At: 3, Err: syscall.EIO}), "x")
	must(t, err)
	_, err = io.WriteString(f, "data")
	must(t, err)
	if err := f.Sync(); !errors.Is(err, syscall.EIO) {
		t.Fatalf("sync: %v", err)
	}
	must(t, f.Sync())
	must(t, m.SyncDir("."))
	data, err := fsys.ReadFile(m.Crash(), "x", 100)
	must(t, err)
	if string(data) != "\x00\x00\x00\x00" {
		t.Errorf("after the crash: %q", data)
	}
}

func open(t *testing.T, path string) fsys.FS {
	t.Helper()
	tree, err := fsys.OpenDir(path)
	must(t, err)
	t.Cleanup(func() { tree.Close() })
	return tree
}

// write writes "new" over a file without Replace.
func write(t *testing.T, tree fsys.FS, name string, sync bool) {
	t.Helper()
	f, err := tree.OpenFile(name, os.O_WRONLY|os.O_CREATE)
	must(t, err)
	_, err = io.WriteString(f, "new")
	must(t, err)
	if sync {
		must(t, f.Sync())
	}
	must(t, f.Close())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
