package remote_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote"
	"mpf/remote/agentbin"
	"mpf/remote/command"
	"mpf/remote/remotetest"
)

// emulated lets a kernel of another machine execute programs of arm64, in a user
// namespace alone, and says that this is one.
const emulated = `
mount -t binfmt_misc binfmt_misc /proc/sys/fs/binfmt_misc || exit 1
printf '%s' ':arm64:M::\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00\xb7\x00:\xff\xff\xff\xff\xff\xff\xff\x00\xff\xff\xff\xff\xff\xff\xff\xff\xfe\xff\xff\xff:/usr/bin/qemu-aarch64-static:F' >/proc/sys/fs/binfmt_misc/register || exit 1
PATH="$0:$PATH" exec "$@"`

// onARM64 is a transport to this machine as if it were one of arm64: the agent is
// that of arm64, what it starts are this machine's programs.
func onARM64(t *testing.T) remote.Transport {
	t.Helper()
	enginetest.Need(t, "qemu-aarch64-static", "unshare", "go")
	path := filepath.Join(t.TempDir(), "agent")
	build := exec.Command("go", "build", "-tags", "emulated", "-o", path, "./agent/mpf-agent")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH=arm64")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(content)
	binary := agentbin.Binary{Content: content, SHA256: hex.EncodeToString(sum[:])}
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "uname"), []byte("#!/bin/sh\ncase $1 in -s) echo Linux;; *) echo aarch64;; esac\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return remote.Via{Via: command.Via{
		Argv: []string{"unshare", "--user", "--map-root-user", "--mount", "sh", "-c", emulated, bin},
		Find: func(_ context.Context, goos, goarch string) (agentbin.Binary, error) {
			if goos+"/"+goarch != "linux/arm64" {
				t.Errorf("asked for an agent of %s/%s", goos, goarch)
			}
			return binary, nil
		},
	}}
}

// qemu lets no program inherit what its descendants leave behind, so what depends
// on that is left out; it has no handles of processes either and starts none in a
// control group, so that the agent's ways without them are what is tested.
func TestTheAgentOfARM64IsAHost(t *testing.T) {
	remotetest.HostContractWithout(t, []string{"ChildHoldsOutput", "NothingStays"}, func(t *testing.T) engine.Host { return connect(t, onARM64(t)) })
}

// The command line of the emulated agent begins with its emulator.
func TestAnEmulatedAgentsCommandsAreLeftAlone(t *testing.T) {
	w, err := connect(t, onARM64(t)).Open(t.Context(), remotetest.NewAttempt())
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.Start(t.Context(), engine.Command{Argv: []string{"sleep", "1000"}}, engine.Ready{})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("XDG_CACHE_HOME", t.TempDir()) // as another user has it
	connect(t, remote.Local{})
	out, err := p.Stop(t.Context())
	if err != nil || !out.Stopped {
		t.Errorf("after another agent began, the command ended with %+v, %v", out, err)
	}
}
