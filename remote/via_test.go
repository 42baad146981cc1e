package remote_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote"
	"mpf/remote/agentbin"
	"mpf/remote/command"
	"mpf/remote/remotetest"
)

// via makes a transport through an argv, with an agent that is made beforehand
// and a cache of its own on the host.
func via(t *testing.T, argv ...string) remote.Via {
	t.Helper()
	enginetest.Need(t, "go")
	binary, err := agentbin.Find(t.Context(), "linux", runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	return remote.Via{Via: command.Via{
		Argv: argv,
		Find: func(context.Context, string, string) (agentbin.Binary, error) { return binary, nil },
	}}
}

// through is an argv that only passes bytes on.
var through = [...]string{"sh", "-c", `exec "$@"`, "sh"}

func TestViaIsAHost(t *testing.T) {
	remotetest.HostContract(t, func(t *testing.T) engine.Host { return connect(t, via(t, through[:]...)) })
}

func TestNamespaceIsAHost(t *testing.T) {
	enginetest.NeedRoot(t)
	enginetest.Need(t, "ip")
	name := fmt.Sprintf("mpf-test-%d", os.Getpid())
	if out, err := exec.Command("ip", "netns", "add", name).CombinedOutput(); err != nil {
		enginetest.Unmet(t, "no network namespaces: %s", out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("ip", "netns", "delete", name).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	remotetest.HostContract(t, func(t *testing.T) engine.Host { return connect(t, via(t, "ip", "netns", "exec", name)) })
}

// The agent is sent once, and found again by its hash.
func TestAgentIsSentOnce(t *testing.T) {
	transport := via(t, through[:]...)
	stored := func() os.FileInfo {
		h := connect(t, transport)
		defer h.Close()
		paths, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "mpf", "agent-*"))
		if err != nil || len(paths) != 1 {
			t.Fatalf("stored %q, %v", paths, err)
		}
		info, err := os.Stat(paths[0])
		if err != nil {
			t.Fatal(err)
		}
		return info
	}
	first, second := stored(), stored()
	if !os.SameFile(first, second) || first.ModTime() != second.ModTime() {
		t.Error("the agent was sent twice")
	}
	if first.Mode().Perm() != 0o700 {
		t.Errorf("the agent has mode %v", first.Mode())
	}
}

func TestViaRefusals(t *testing.T) {
	transport := via(t)
	for _, c := range []struct {
		argv []string
		want string
	}{
		{[]string{"no-such-program-of-mpf"}, "not found"},
		{[]string{"sh", "-c", "echo Welcome; exec \"$@\"", "sh"}, `expected mpf-host, got "Welcome"`},
		{[]string{"sh", "-c", "echo go away >&2; exit 5"}, "go away"},
	} {
		transport.Argv = c.argv
		_, err := remote.Connect(t.Context(), transport, here(), quick())
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%q: got %v, want %q", c.argv, err, c.want)
		}
	}
}

// A home whose programs must not run is said to be one.
func TestViaNoexec(t *testing.T) {
	enginetest.NeedRoot(t)
	enginetest.Need(t, "unshare")
	transport := via(t, "unshare", "-m", "sh", "-c", `mount -t tmpfs -o noexec mpf "$XDG_CACHE_HOME" && exec "$@"`, "sh")
	_, err := remote.Connect(t.Context(), transport, here(), quick())
	if err == nil || !strings.Contains(err.Error(), "noexec") {
		t.Errorf("got %v, want a word about noexec", err)
	}
}

// A host that answers with another agent than was started is refused.
func TestOtherAgentIsRefused(t *testing.T) {
	transport := via(t, through[:]...)
	binary, err := transport.Find(t.Context(), "linux", runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	connect(t, transport).Close()
	path := filepath.Join(os.Getenv("XDG_CACHE_HOME"), "mpf", "agent-"+binary.SHA256)
	changed := append([]byte(nil), binary.Content...)
	changed[len(changed)-1] ^= 1
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, changed, 0o700); err != nil {
		t.Fatal(err)
	}
	_, err = remote.Connect(t.Context(), transport, here(), quick())
	if err == nil || !strings.Contains(err.Error(), "sha256") {
		t.Errorf("got %v, want a word about its hash", err)
	}
}
