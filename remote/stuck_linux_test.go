package remote_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote/remotetest"
)

// frozenDisk is a file system that is frozen: who writes to it waits in the
// kernel, in state D, and no signal ends that. It returns what thaws it.
func frozenDisk(t *testing.T) (dir string, thaw func()) {
	t.Helper()
	enginetest.NeedRoot(t)
	enginetest.Need(t, "mkfs.ext4", "fsfreeze", "mount")
	image := filepath.Join(t.TempDir(), "image")
	dir = filepath.Join(t.TempDir(), "disk")
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	must(os.Mkdir(dir, 0o700))
	must(os.WriteFile(image, nil, 0o600))
	must(os.Truncate(image, 16<<20))
	command := func(argv ...string) {
		t.Helper()
		if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
			enginetest.Unmet(t, "%s: %v: %s", strings.Join(argv, " "), err, out)
		}
	}
	command("mkfs.ext4", "-q", "-F", image)
	command("mount", "-o", "loop", image, dir)
	t.Cleanup(func() { command("umount", "--lazy", dir) })
	command("fsfreeze", "--freeze", dir)
	frozen := true
	thaw = func() {
		if frozen {
			frozen = false
			command("fsfreeze", "--unfreeze", dir)
		}
	}
	t.Cleanup(thaw)
	return dir, thaw
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
	disk, thaw := frozenDisk(t)
	s := remotetest.Sshd(t)
	h := open(t, cluster(t, s.Alias("n"), oneShared)).Host("n")
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
	disk, thaw := frozenDisk(t)
	s := remotetest.Sshd(t)
	h := open(t, cluster(t, s.Alias("n"), oneShared)).Host("n")
	attempt, w := stuck(t, h, disk)
	s.KillSessions()
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
	disk, _ := frozenDisk(t)
	h := open(t, cluster(t, remotetest.Sshd(t).Alias("n"), oneShared)).Host("n")
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
