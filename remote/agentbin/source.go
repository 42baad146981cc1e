package agentbin

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
)

// agentPackage is what is built.
const agentPackage = "mpf/remote/agent/mpf-agent"

// agentFolders hold all of the agent's source that is this module's.
var agentFolders = [...]string{
	"remote/agent", "remote/agent/mpf-agent", "remote/sample", "remote/transfer", "remote/wire",
}

// A source is this module's, on this machine.
type source struct {
	root   string
	digest string
	goTool string
}

// findSource finds the source that this program was compiled from: its compiler
// noted the path, unless it was told to trim paths.
func findSource() (source, error) {
	_, file, _, ok := runtime.Caller(0)
	root := filepath.Join(filepath.Dir(file), "..", "..")
	if !ok || !filepath.IsAbs(file) {
		return source{}, errors.New("its source is not known to this program")
	}
	mod, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil || !bytes.HasPrefix(mod, []byte("module mpf\n")) {
		return source{}, fmt.Errorf("its source is no longer in %q", root)
	}
	tool, err := exec.LookPath("go")
	if err != nil {
		return source{}, errors.New("there is no go tool to make it with")
	}
	digest, err := digestOf(root)
	return source{root: root, digest: digest, goTool: tool}, err
}

// digestOf hashes all that an agent is made of, and how.
func digestOf(root string) (string, error) {
	h := sha256.New()
	fmt.Fprintln(h, runtime.Version(), buildFlags())
	for _, name := range []string{"go.mod", "go.sum"} {
		if err := addFile(h, root, name); err != nil {
			return "", err
		}
	}
	for _, dir := range agentFolders {
		names, err := filepath.Glob(filepath.Join(root, dir, "*.go"))
		if err != nil {
			return "", err
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			if err := addFile(h, root, filepath.Join(dir, filepath.Base(name))); err != nil {
				return "", err
			}
		}
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

func addFile(w io.Writer, root, name string) error {
	content, err := os.ReadFile(filepath.Join(root, name))
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s %d\n%s", filepath.ToSlash(name), len(content), content)
	return err
}

// buildFlags make a small agent that is the same wherever it is made: what it
// spends its time on is the kernel's.
func buildFlags() []string {
	return []string{"-trimpath", "-buildvcs=false", "-ldflags=-s -w -buildid= -funcalign=4", "-gcflags=all=-l"}
}

// build makes an agent.
func (s source) build(ctx context.Context, goos, goarch, to string) error {
	argv := append([]string{"build"}, buildFlags()...)
	c := exec.CommandContext(ctx, s.goTool, append(argv, "-o", to, agentPackage)...)
	c.Dir = s.root
	c.Env = append(os.Environ(), "CGO_ENABLED=0", "GOOS="+goos, "GOARCH="+goarch, "GOFLAGS=", "GOWORK=off")
	if out, err := c.CombinedOutput(); err != nil {
		return fmt.Errorf("go build: %w: %s", err, bytes.TrimSpace(out))
	}
	return nil
}

// cached returns the agent made of this source, and makes it if nobody has. Two
// programs that need it at once make it once.
func (s source) cached(ctx context.Context, goos, goarch string) (Binary, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return Binary{}, err
	}
	dir := filepath.Join(cache, "mpf", "made")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return Binary{}, err
	}
	path := filepath.Join(dir, fmt.Sprintf("agent-%s-%s-%s", goos, goarch, s.digest[:16]))
	if content, err := os.ReadFile(path); err == nil {
		return newBinary(content), nil
	}
	unlock, err := lock(path + ".lock")
	if err != nil {
		return Binary{}, err
	}
	defer unlock()
	if content, err := os.ReadFile(path); err == nil {
		return newBinary(content), nil
	}
	if err := s.build(ctx, goos, goarch, path+".tmp"); err != nil {
		return Binary{}, err
	}
	if err := os.Rename(path+".tmp", path); err != nil {
		return Binary{}, err
	}
	content, err := os.ReadFile(path)
	return newBinary(content), err
}

// lock waits until this program is the only one that holds a file.
func lock(path string) (unlock func(), err error) {
	f, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for {
		err = syscall.Flock(int(f.Fd()), syscall.LOCK_EX)
		if !errors.Is(err, syscall.EINTR) {
			break
		}
	}
	if err != nil {
		return nil, errors.Join(err, f.Close())
	}
	return func() { f.Close() }, nil
}
