package remote_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote/remotetest"
)

func TestAContainerIsAHost(t *testing.T) {
	c := remotetest.NewContainer(t)
	remotetest.HostContract(t, func(t *testing.T) engine.Host { return connect(t, via(t, c.Exec()...)) })
}

func TestAJobStepIsAHost(t *testing.T) {
	srun := remotetest.Slurm(t)
	remotetest.HostContract(t, func(t *testing.T) engine.Host { return connect(t, via(t, srun...)) })
}

// The agent is the first process of a pid namespace, which ends with it.
func TestANewNamespaceIsAHost(t *testing.T) {
	enginetest.NeedRoot(t)
	enginetest.Need(t, "unshare")
	remotetest.HostContract(t, func(t *testing.T) engine.Host {
		return connect(t, via(t, "unshare", "--mount", "--uts", "--ipc", "--net", "--pid", "--fork", "--kill-child", "--mount-proc"))
	})
}

func TestTheNamespacesOfAProcessAreAHost(t *testing.T) {
	enginetest.NeedRoot(t)
	enginetest.Need(t, "unshare", "nsenter")
	target := exec.Command("unshare", "--uts", "--ipc", "--net", "sh", "-c", "echo; exec sleep 1000")
	remotetest.FirstLine(t, target) // it is in the namespaces
	remotetest.HostContract(t, func(t *testing.T) engine.Host {
		return connect(t, via(t, "nsenter", "--target", strconv.Itoa(target.Process.Pid), "--uts", "--ipc", "--net", "--"))
	})
}

// Whatever leads to a host may be killed: what the agent runs there ends.
func TestTheWayToAHostIsKilled(t *testing.T) {
	for name, argv := range map[string]func(*testing.T) []string{
		"docker": func(t *testing.T) []string { return remotetest.NewContainer(t).Exec() },
		"srun":   func(t *testing.T) []string { return remotetest.Slurm(t) },
	} {
		t.Run(name, func(t *testing.T) {
			h := connect(t, via(t, argv(t)...))
			defer h.Close()
			attempt, ended := running(t, h)
			killWay(t, name)
			mustBeUnreachable(t, within(t, quick().GiveUp, ended))
			remotetest.WaitGone(t, attempt, quick().Lease+5*time.Second)
			if err := h.Reach(t.Context()); err != nil {
				t.Errorf("again: %v", err)
			}
		})
	}
}

// killWay kills the child of this test that is, or becomes, a program.
func killWay(t *testing.T, program string) {
	t.Helper()
	paths, _ := filepath.Glob("/proc/[0-9]*/comm") // the pattern is right
	for _, path := range paths {
		name, err := os.ReadFile(path)
		pid, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err == nil && strings.TrimSpace(string(name)) == program && parentOf(pid) == os.Getpid() {
			if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			return
		}
	}
	t.Fatalf("no %s below this test", program)
}
