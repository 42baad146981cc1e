package readertest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"embed"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"

	"mpf/engine/enginetest"
)

//go:embed package.json *.mjs *.py
var programs embed.FS

// Node returns a command that executes one of the scripts of this package. What
// it reads with comes from npm once and stays in the user's cache.
func Node(t testing.TB, script string, args ...string) *exec.Cmd {
	t.Helper()
	enginetest.Need(t, "node", "npm")
	dir := installed(t)
	return exec.CommandContext(t.Context(), "node", append([]string{unpacked(t, dir, script)}, args...)...)
}

// Python returns a command that executes one of the scripts of this package by a
// Python that has a module: the first one, or that of the system.
func Python(t testing.TB, script, module string, args ...string) *exec.Cmd {
	t.Helper()
	for _, python := range []string{"python3", "/usr/bin/python3"} {
		if exec.CommandContext(t.Context(), python, "-c", "import "+module).Run() == nil {
			return exec.CommandContext(t.Context(), python, append([]string{unpacked(t, t.TempDir(), script)}, args...)...)
		}
	}
	enginetest.Unmet(t, "no python3 has the module %s", module)
	return nil
}

// unpacked writes a file of this package, whole at any moment: tests of several
// packages may do so at once.
func unpacked(t testing.TB, dir, name string) string {
	t.Helper()
	text, err := programs.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, name)
	if have, err := os.ReadFile(path); err == nil && bytes.Equal(have, text) {
		return path
	}
	temp, err := os.CreateTemp(dir, name)
	if err != nil {
		t.Fatal(err)
	}
	_, err = temp.Write(text)
	if closeErr := temp.Close(); err == nil {
		err = closeErr
	}
	if err == nil {
		err = os.Rename(temp.Name(), path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path
}

// installed returns the folder that holds what package.json names.
func installed(t testing.TB) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		enginetest.Unmet(t, "no cache folder: %v", err)
	}
	wanted, err := programs.ReadFile("package.json")
	if err != nil {
		t.Fatal(err)
	}
	dir := filepath.Join(cache, fmt.Sprintf("mpf-test-readers-%x", sha256.Sum256(wanted))[:25])
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	lock, err := os.OpenFile(filepath.Join(dir, "lock"), os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		t.Fatal(err)
	}
	defer lock.Close()
	if err := syscall.Flock(int(lock.Fd()), syscall.LOCK_EX); err != nil {
		t.Fatal(err)
	}
	mark := filepath.Join(dir, "installed.json")
	if have, err := os.ReadFile(mark); err == nil && bytes.Equal(have, wanted) {
		return dir
	}
	unpacked(t, dir, "package.json")
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir)
	if out, err := npm.CombinedOutput(); err != nil {
		enginetest.Unmet(t, "npm cannot install the readers: %v\n%s", err, out)
	}
	if err := os.WriteFile(mark, wanted, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}
