package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mpf/engine/enginetest"
)

// storing makes a campaign of many runs on this machine. Its agent writes to
// the folder of the test, not to that of the campaign.
func storing(t *testing.T, runs int) *underway {
	u := newUnderway(t, "noop.star")
	u.flags = []string{"--shared-host"}
	writeFile(t, filepath.Join(u.dir, "noop.star"), fmt.Sprintf(noop, runs/4))
	return u
}

func (u *underway) runOnce() (code int, said string) {
	cmd := u.mpf(append(append([]string{"run", "-o", u.out}, u.flags...), u.file)...)
	text, _ := cmd.CombinedOutput() // its code says more
	return cmd.ProcessState.ExitCode(), string(text)
}

// expectOnce wants every run ok, once.
func (u *underway) expectOnce(want int) {
	u.Helper()
	ends := endsInRecord(u.T, u.out)
	for run, n := range ends {
		if n != 1 {
			u.Errorf("run %s is ok %d times", run, n)
		}
	}
	if len(ends) != want {
		u.Errorf("%d runs are ok, want %d", len(ends), want)
	}
}

// Where no file may grow beyond a size, what is acknowledged is kept, and with
// more room the same command goes on.
func TestALimitOfFileSizesIsAnErrorOfStorage(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		blocks int // of 512 bytes; the reserve takes 2048 of them, the journal is to take more
		runs   int
		result string
		flags  []string
	}{
		"large rows":                       {2200, 600, `{"m": n, "words": 2000 * "x"}`, nil},
		"many rows that outlive mpf alone": {2048, 2400, `{"m": n}`, []string{"--durability", "os"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := storing(t, c.runs)
			writeFile(t, filepath.Join(u.dir, "noop.star"), strings.Replace(fmt.Sprintf(noop, c.runs/4), `{"m": n}`, c.result, 1))
			u.flags = append(u.flags, c.flags...)
			u.expectTooLarge(c.blocks)
			if len(endsInRecord(t, u.out)) == 0 {
				t.Error("no run was ok before")
			}
			u.finish()
			u.expectOnce(c.runs)
		})
	}
}

// expectTooLarge wants mpf to fail where files may have so many blocks only.
func (u *underway) expectTooLarge(blocks int) {
	u.Helper()
	cmd := u.mpf()
	cmd.Path = "/bin/sh"
	cmd.Args = append([]string{"sh", "-c", fmt.Sprintf(`ulimit -f %d; exec "$0" "$@"`, blocks), wrapped(u.T), "run", "-o", u.out}, append(u.flags, u.file)...)
	text, _ := cmd.CombinedOutput() // its code says more
	if code := cmd.ProcessState.ExitCode(); code != exitStorage || !strings.Contains(string(text), "file too large") {
		u.Fatalf("mpf ended with %d: %s", code, text)
	}
	if _, err := os.Stat(filepath.Join(u.out, "failure.json")); err != nil {
		u.Error(err)
	}
}

func TestAFullFileSystemOfOneMegabyte(t *testing.T) {
	t.Parallel()
	u := storing(t, 400)
	disk := filepath.Join(u.dir, "disk")
	mount(t, disk, "size=1m", 0)
	u.out = filepath.Join(disk, "out")
	code, text := u.runOnce()
	if code != exitStorage || !strings.Contains(text, "no space left on device") {
		t.Fatalf("mpf ended with %d: %s", code, text)
	}
	if err := syscall.Mount("", disk, "", syscall.MS_REMOUNT, "size=32m"); err != nil {
		t.Fatal(err)
	}
	u.finish()
	u.expectOnce(400)
}

// mount puts a small file system at a place until the test ends.
func mount(t *testing.T, at, options string, flags uintptr) {
	t.Helper()
	enginetest.NeedRoot(t)
	if err := os.MkdirAll(at, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", at, "tmpfs", flags, options); err != nil {
		enginetest.Unmet(t, "cannot mount: %v", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(at, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
}

func TestOutputDirectoriesThatCannotBe(t *testing.T) {
	t.Parallel()
	for name, place := range map[string]struct {
		make func(t *testing.T, u *underway)
		code int
		says string
	}{
		"on a disk that is only read": {func(t *testing.T, u *underway) {
			disk := filepath.Join(u.dir, "disk")
			mount(t, disk, "", syscall.MS_RDONLY)
			u.out = filepath.Join(disk, "out")
		}, exitStorage, "read-only file system"},
		"a symbolic link": {func(t *testing.T, u *underway) {
			link(t, t.TempDir(), u.out)
		}, exitRefused, "symbolic link"},
		"parts on two devices": {func(t *testing.T, u *underway) {
			mount(t, filepath.Join(u.out, "tmp"), "size=4m", 0)
		}, exitStorage, "cross-device link"},
		"a file": {func(t *testing.T, u *underway) {
			writeFile(t, u.out, "")
		}, exitRefused, "not a directory"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := storing(t, 4)
			place.make(t, u)
			if code, text := u.runOnce(); code != place.code || !strings.Contains(text, place.says) {
				t.Errorf("mpf ended with %d, want %d and %q: %s", code, place.code, place.says, text)
			}
		})
	}
}

func link(t *testing.T, target, at string) {
	t.Helper()
	if err := os.Symlink(target, at); err != nil {
		t.Fatal(err)
	}
}

// A directory that is removed, or replaced by another one, ends the recording:
// nothing is written to what merely has its name.
func TestAnOutputDirectoryThatVanishes(t *testing.T) {
	t.Parallel()
	for name, vanish := range map[string]func(t *testing.T, u *underway){
		"removed":  func(t *testing.T, u *underway) { remove(t, u.out) },
		"replaced": func(t *testing.T, u *underway) { replaceDir(t, u.out) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			u := storing(t, 4000)
			u.start()
			u.awaitProgress("the first run", func(p pulse) bool { return p.ok > 0 })
			vanish(t, u)
			if code := u.exit(name); code != exitStorage && code != exitRefused {
				t.Errorf("mpf ended with %d\n%s", code, &u.talk)
			}
			if entries, err := os.ReadDir(u.out); err == nil && slices.ContainsFunc(entries, func(e os.DirEntry) bool { return e.Name() == "journal" }) {
				t.Error("mpf wrote to another directory")
			}
		})
	}
}

func replaceDir(t *testing.T, dir string) {
	t.Helper()
	if err := os.Rename(dir, dir+".away"); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, dir string) {
	t.Helper()
	// mpf may be making a file in it.
	for err := os.RemoveAll(dir); err != nil; err = os.RemoveAll(dir) {
		t.Log(err)
	}
}

// What mpf makes is its user's alone, whatever the umask allows or takes.
func TestUmask(t *testing.T) {
	t.Parallel()
	for _, mask := range []string{"000", "077", "0277"} {
		u := storing(t, 4)
		cmd := u.mpf()
		cmd.Path = "/bin/sh"
		cmd.Args = []string{"sh", "-c", `umask ` + mask + `; exec "$0" "$@"`, wrapped(t), "run", "--shared-host", "-o", u.out, u.file}
		if text, err := cmd.CombinedOutput(); err != nil {
			t.Errorf("umask %s: %v: %s", mask, err, text)
		}
		out, err := exec.Command("find", u.out, "-perm", "/077").CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Errorf("umask %s: open to others: %s %v", mask, out, err)
		}
	}
}

// wrapped is a program by whose name the test binary is mpf.
func wrapped(t *testing.T) string {
	t.Helper()
	at := filepath.Join(t.TempDir(), "mpf")
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	link(t, self, at)
	return at
}
