package remote_test

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote"
	"mpf/remote/agentbin"
	"mpf/remote/remotetest"
)

// viaFolder is where the agent of the tests' transports lies.
func viaFolder() string { return filepath.Join(os.Getenv("XDG_CACHE_HOME"), "mpf") }

func mustNotConnect(t *testing.T, transport remote.Transport, want string) {
	t.Helper()
	h, err := remote.Connect(t.Context(), transport, here(), quick())
	if err == nil {
		h.Close()
	}
	if err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("got %v, want %q", err, want)
	}
}

// agentFiles lists what the agent's folder holds of agents.
func agentFiles(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(viaFolder(), "agent-*"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// Wherever the way breaks, there is a whole agent or none.
func TestViaCutWhileSendingLeavesNoHalf(t *testing.T) {
	transport := via(t)
	binary, err := transport.Find(t.Context(), "linux", runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{10, 100, 4 << 10, 1 << 20, binary.Size() - 1} {
		transport.Argv = []string{"sh", "-c", `dd bs=4k count="$0" iflag=count_bytes status=none | "$@"`, strconv.FormatInt(n, 10)}
		mustNotConnect(t, transport, `host "here"`)
		if left := agentFiles(t); len(left) > 0 {
			t.Errorf("cut after %d bytes: %q is left", n, left)
		}
	}
	transport.Argv = through[:]
	connect(t, transport).Close()
}

func TestViaReplacesARunningAgent(t *testing.T) {
	transport := via(t, through[:]...)
	first := connect(t, transport)
	defer first.Close()
	before := agentFiles(t)
	made := filepath.Join(viaFolder(), "made", "agent-linux-amd64") // where a controller keeps what it makes
	if err := os.MkdirAll(made, 0o700); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(made, "agent-of-a-controller"), "kept")
	other, err := transport.Find(t.Context(), "linux", runtime.GOARCH)
	if err != nil {
		t.Fatal(err)
	}
	other.Content = append(bytes.Clone(other.Content), 0)
	sum := sha256.Sum256(other.Content)
	other.SHA256 = hex.EncodeToString(sum[:])
	transport.Find = func(context.Context, string, string) (agentbin.Binary, error) { return other, nil }
	second := connect(t, transport)
	defer second.Close()
	if after := agentFiles(t); len(before) != 1 || len(after) != 1 || !strings.HasSuffix(after[0], other.SHA256) {
		t.Errorf("agents %q, then %q", before, after)
	}
	if _, err := os.Stat(filepath.Join(made, "agent-of-a-controller")); err != nil {
		t.Errorf("what a controller keeps: %v", err)
	}
	for _, h := range []engine.Host{first, second} {
		if out, err := work(t.Context(), h, "true"); err != nil || out.Code != 0 {
			t.Errorf("%+v, %v", out, err)
		}
	}
}

func TestViaRefusesAForeignFolder(t *testing.T) {
	transport := via(t, through[:]...)
	const want = "mpf is a symbolic link or belongs to somebody else (look who made it"
	if err := os.Symlink(t.TempDir(), viaFolder()); err != nil {
		t.Fatal(err)
	}
	mustNotConnect(t, transport, want)
	if err := os.Remove(viaFolder()); err != nil {
		t.Fatal(err)
	}
	enginetest.NeedRoot(t)
	if err := os.Mkdir(viaFolder(), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(viaFolder(), 65534, 65534); err != nil {
		t.Fatal(err)
	}
	mustNotConnect(t, transport, want)
}

func TestViaClosesAnOpenFolder(t *testing.T) {
	transport := via(t, through[:]...)
	if err := os.Mkdir(viaFolder(), 0o755); err != nil {
		t.Fatal(err)
	}
	connect(t, transport).Close()
	if info, err := os.Stat(viaFolder()); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
}

// A user whose home cannot be written has the agent in /tmp.
func TestViaWithoutAHome(t *testing.T) {
	u := remotetest.NewUser(t, "")
	tmp := filepath.Join(u.Home, "tmp")
	if err := os.Mkdir(tmp, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(tmp, 0o777); err != nil {
		t.Fatal(err)
	}
	h := connect(t, asUser(t, u, "env", "HOME=/proc", "TMPDIR="+tmp))
	defer h.Close()
	out, err := work(t.Context(), h, "pwd")
	if err != nil || !strings.HasPrefix(string(out.Stdout.Data), tmp+"/mpf-4242/") {
		t.Errorf("%q, %v", out.Stdout.Data, err)
	}
}

func TestViaHasNoRoom(t *testing.T) {
	enginetest.NeedRoot(t)
	transport := via(t, "unshare", "-m", "sh", "-c", `mount -t tmpfs -o size=1m mpf "$XDG_CACHE_HOME" && exec "$@"`, "sh")
	mustNotConnect(t, transport, "the agent could not be stored in "+viaFolder()+" (see whether it can be written, and has room: df")
}

func TestViaAnotherKindOfMachine(t *testing.T) {
	transport := via(t)
	asked := ""
	find := transport.Find
	transport.Find = func(ctx context.Context, goos, goarch string) (agentbin.Binary, error) {
		asked = goos + "/" + goarch
		return find(ctx, goos, goarch)
	}
	machine := func(kind string) {
		bin := t.TempDir()
		script := fmt.Sprintf("#!/bin/sh\ncase $1 in -s) echo %s;; -m) echo %s;; esac\n", strings.Fields(kind)[0], strings.Fields(kind)[1])
		if err := os.WriteFile(filepath.Join(bin, "uname"), []byte(script), 0o755); err != nil {
			t.Fatal(err)
		}
		transport.Argv = []string{"env", "PATH=" + bin + ":" + os.Getenv("PATH")}
	}
	for _, kind := range []string{"Linux riscv64", "Darwin arm64", "FreeBSD amd64"} {
		machine(kind)
		mustNotConnect(t, transport, fmt.Sprintf("hosts must run linux on amd64 or arm64, not %q", kind))
	}
	if asked != "" {
		t.Errorf("an agent for %s was made", asked)
	}
	machine("Linux aarch64")
	connect(t, transport).Close()
	if asked != "linux/arm64" {
		t.Errorf("an agent for %s was asked for", asked)
	}
}

// A host that cannot execute the agent says so.
func TestViaAnAgentThatIsNoProgram(t *testing.T) {
	transport := via(t, through[:]...)
	content := []byte("\x7fELF\x02\x01\x01" + strings.Repeat("\x00", 200))
	sum := sha256.Sum256(content)
	broken := agentbin.Binary{Content: content, SHA256: hex.EncodeToString(sum[:])}
	transport.Find = func(context.Context, string, string) (agentbin.Binary, error) { return broken, nil }
	mustNotConnect(t, transport, `host "here": the agent ended; it said "`)
}
