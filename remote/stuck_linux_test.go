package remote_test

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote/remotetest"
)

// frozenDisk is a file system of a machine that is frozen: who writes to it waits
// in the kernel, in state D, and no signal ends that. It returns what thaws it.
// The machine is one of its own, since what it cannot end blocks it.
func frozenDisk(t *testing.T) (m *remotetest.Machine, h engine.Host, dir string, thaw func()) {
	t.Helper()
	enginetest.Need(t, "mkfs.ext4", "fsfreeze", "mount")
	m = remotetest.Machines(t, 1)[0]
	command := func(argv ...string) error {
		if out, err := m.Exec(argv...); err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, out)
		}
		return nil
	}
	dir = "/mnt"
	for _, argv := range [][]string{
		{"truncate", "--size=16M", "/tmp/image"}, {"mkfs.ext4", "-q", "-F", "/tmp/image"},
		{"mount", "-o", "loop", "/tmp/image", dir}, {"fsfreeze", "--freeze", dir},
	} {
		if err := command(argv...); err != nil {
			enginetest.Unmet(t, "%v", err)
		}
	}
	frozen := true
	thaw = func() {
		if frozen {
			frozen = false
			if err := command("fsfreeze", "--unfreeze", dir); err != nil {
				t.Error(err)
			}
		}
	}
	t.Cleanup(func() {
		thaw()
		if err := command("umount", "--lazy", dir); err != nil {
			t.Error(err)
		}
	})
	return m, fleet(t, []*remotetest.Machine{m}, "root").Host(m.Name), dir, thaw
}

// stuck opens an attempt with a process that cannot be killed.
func stuck(t *testing.T, h engine.Host, dir string) (engine.Attempt, engine.Workspace) {
	t.Helper()
	attempt := remotetest.NewAttempt()
	w, err := h.Open(t.Context(), attempt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Start(t.Context(), engine.Command{Argv: []string{"sh", "-c", "echo begun; exec touch " + dir + "/x"}}, engine.Ready{Pattern: "begun"}); err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(10 * time.Second); len(inStateD(attempt)) == 0; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("nothing waits for the frozen disk")
		}
	}
	return attempt, w
}

// servesSession reports whether a process is the sshd of one connection.
func servesSession(argv []string) bool {
	return strings.HasPrefix(argv[0], "sshd: ") && !strings.Contains(argv[0], "listener")
}

// inStateD lists the processes of an attempt that wait in the kernel.
func inStateD(a engine.Attempt) []string {
	out, err := exec.Command("ps", "-e", "eww", "-o", "stat=,args=").Output()
	if err != nil {
		return nil
	}
	var found []string
	for line := range strings.Lines(string(out)) {
		if strings.HasPrefix(line, "D") && strings.Contains(line, a.Nonce) {
			found = append(found, line)
		}
	}
	return found
}

// hopeless is how long an agent tries to kill, with its grace and some more for
// a busy machine.
const hopeless = 60 * time.Second

// A process that no signal ends is named, keeps its attempt from being fenced
// and its host from the next run, and hangs nobody.
func TestAProcessThatCannotBeKilled(t *testing.T) {
	t.Parallel()
	_, h, disk, thaw := frozenDisk(t)
	attempt, w := stuck(t, h, disk)
	ctx, cancel := context.WithTimeout(t.Context(), hopeless)
	defer cancel()
	closing, err := w.Close(ctx)
	if err != nil || len(closing.Unkillable) != 1 || !strings.HasPrefix(closing.Unkillable[0], "touch (pid ") {
		t.Fatalf("unkillable %q, %v", closing.Unkillable, err)
	}
	_, err = h.Fence(ctx, attempt)
	mustName(t, err)
	thaw()
	fenced, err := h.Fence(t.Context(), attempt)
	if err != nil || fenced.How != "swept" {
		t.Errorf("thawed: %+v, %v", fenced, err)
	}
	if _, err := work(t.Context(), h, "true"); err != nil {
		t.Error(err)
	}
}

func mustName(t *testing.T, err error) {
	t.Helper()
	var failure *engine.Failure
	if !errors.As(err, &failure) || failure.Status != engine.Unreachable || !strings.Contains(err.Error(), "touch (pid ") {
		t.Errorf("the process is not named: %v", err)
	}
}

// An agent whose link breaks ends although it cannot end all that it started;
// the next one says so and takes no run.
func TestAnAgentEndsBeforeAProcessThatCannotBeKilled(t *testing.T) {
	t.Parallel()
	m, h, disk, thaw := frozenDisk(t)
	attempt, w := stuck(t, h, disk)
	if m.Signal(syscall.SIGKILL, servesSession) == 0 {
		t.Fatal("no sshd serves a session")
	}
	if _, err := w.Run(t.Context(), engine.Command{Argv: []string{"true"}}); err == nil {
		t.Error("a command was executed over a dead session")
	}
	mustName(t, h.Reach(t.Context()))
	_, err := h.Open(t.Context(), remotetest.NewAttempt())
	mustName(t, err)
	thaw()
	if err := h.Reach(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := h.Fence(t.Context(), attempt); err != nil {
		t.Error(err)
	}
	remotetest.WaitGone(t, attempt, quick().Lease+5*time.Second)
}

// A command over its timeout is given up, whether or not it can be killed.
func TestACommandThatCannotBeKilledIsGivenUp(t *testing.T) {
	t.Parallel()
	_, h, disk, _ := frozenDisk(t)
	w, err := h.Open(t.Context(), remotetest.NewAttempt())
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), hopeless)
	defer cancel()
	out, err := w.Run(ctx, engine.Command{Argv: []string{"touch", disk + "/x"}, Timeout: 200 * time.Millisecond})
	if ctx.Err() != nil || err == nil && !out.TimedOut {
		t.Errorf("%+v, %v", out, err)
	}
	if closing, err := w.Close(t.Context()); err != nil || len(closing.Unkillable) != 1 {
		t.Errorf("unkillable %q, %v", closing.Unkillable, err)
	}
}
