package remote_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mpf/engine"
	"mpf/remote"
	"mpf/remote/remotetest"
)

// leave is a command that leaves all behind that escapes a careless killer.
const leave = `
	setsid sh -c 'trap "" TERM HUP INT; sleep 1000' >/dev/null 2>&1 &
	(setsid setsid sleep 1000 >/dev/null 2>&1 & )
	sleep 1000 & kill -STOP $!
	i=0; while [ $i -lt 20 ]; do sleep 1000 >/dev/null 2>&1 & i=$((i+1)); done
	echo left; exec sleep 1000`

// controllerVariable turns the test binary into a controller that leaves things
// running, so that it can be killed.
const controllerVariable = "MPF_TEST_CONTROLLER"

// controller opens an attempt, runs leave, prints the nonce and waits.
func controller() error {
	h, err := remote.Connect(context.Background(), remote.Local{}, here(), quick())
	if err != nil {
		return err
	}
	a := remotetest.NewAttempt()
	w, err := h.Open(context.Background(), a)
	if err != nil {
		return err
	}
	if _, err := w.Start(context.Background(), engine.Command{Argv: []string{"sh", "-c", leave}}, engine.Ready{Pattern: "left"}); err != nil {
		return err
	}
	fmt.Println(a.Nonce)
	select {}
}

// startController starts one and returns it with the nonce of its attempt.
func startController(t *testing.T) (*os.Process, string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), controllerVariable+"=1", "MPF_HOST_LOCK="+filepath.Join(t.TempDir(), "lock"))
	c.Stderr = os.Stderr
	nonce := remotetest.FirstLine(t, c)
	return c.Process, nonce
}

// expectGone waits until nothing of an attempt runs, for the lease and 5 s.
func expectGone(t *testing.T, nonce string) {
	t.Helper()
	limit := quick().Lease + 5*time.Second
	for deadline := time.Now().Add(limit); ; time.Sleep(10 * time.Millisecond) {
		left := remotetest.Tagged(nonce)
		if len(left) == 0 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("after %s there still run %q", limit, left)
		}
	}
}

// expectRunning waits until all of an attempt runs: what has just been started
// shows no tag while it becomes another program.
func expectRunning(t *testing.T, nonce string) {
	t.Helper()
	for deadline := time.Now().Add(5 * time.Second); ; time.Sleep(10 * time.Millisecond) {
		n := len(remotetest.Tagged(nonce))
		if n >= 23 {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("only %d processes run", n)
		}
	}
}

func TestControllerKilled(t *testing.T) {
	c, nonce := startController(t)
	expectRunning(t, nonce)
	if err := c.Kill(); err != nil {
		t.Fatal(err)
	}
	expectGone(t, nonce)
}

// Whoever of the agent outlives mpf ends what was started. If nobody does, the
// kernel ends the commands, and the next agent what they had left.
func TestControllerAndAgentKilled(t *testing.T) {
	for _, victim := range []string{"worker", "guard", "both"} {
		t.Run(victim, func(t *testing.T) {
			c, nonce := startController(t)
			expectRunning(t, nonce)
			guard, worker := agentsOf(t, c.Pid)
			victims := map[string][]int{"worker": {worker}, "guard": {guard}, "both": {guard, worker}}[victim]
			for _, pid := range append(victims, c.Pid) {
				if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
					t.Fatal(err)
				}
			}
			if victim == "both" {
				h := connect(t, remote.Local{})
				defer h.Close()
			}
			expectGone(t, nonce)
		})
	}
}

// A stopped controller is a link that is half open: there is no end of input.
func TestControllerSilent(t *testing.T) {
	c, nonce := startController(t)
	expectRunning(t, nonce)
	if err := c.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	expectGone(t, nonce)
}

// agents lists the pids of the agent processes below this test: the guard, then
// the worker.
func agents(t *testing.T) (guard, worker int) {
	t.Helper()
	return agentsOf(t, os.Getpid())
}

// agentsOf lists those below another controller.
func agentsOf(t *testing.T, controller int) (guard, worker int) {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		words := strings.Split(strings.TrimRight(string(text), "\x00"), "\x00")
		if err != nil || len(words) < 2 || words[1] != "agent" {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if err != nil {
			t.Fatal(err)
		}
		switch parent := parentOf(pid); {
		case len(words) == 2 && parent == controller:
			guard = pid
		case len(words) == 3 && parentOf(parent) == controller:
			worker = pid
		}
	}
	if guard == 0 || worker == 0 {
		t.Fatalf("guard %d, worker %d", guard, worker)
	}
	return guard, worker
}

func parentOf(pid int) int {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	_, rest, _ := strings.Cut(string(text), ") ")
	fields := strings.Fields(rest)
	parent, err := strconv.Atoi(fields[1])
	if err != nil {
		return 0
	}
	return parent
}

// The agent is two processes. Whichever dies, what was started dies, the run is
// unreachable, and the next attempt finds a new agent.
func TestAgentKilled(t *testing.T) {
	for _, victim := range []string{"worker", "guard", "both"} {
		t.Run(victim, func(t *testing.T) {
			h := connect(t, remote.Local{})
			defer h.Close()
			a := remotetest.NewAttempt()
			w, err := h.Open(t.Context(), a)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := w.Start(t.Context(), engine.Command{Argv: []string{"sh", "-c", leave}}, engine.Ready{Pattern: "left"}); err != nil {
				t.Fatal(err)
			}
			expectRunning(t, a.Nonce)
			guard, worker := agents(t)
			if victim != "worker" {
				syscall.Kill(guard, syscall.SIGSTOP)
			}
			for pid, killed := range map[int]bool{worker: victim != "guard", guard: victim != "worker"} {
				if killed {
					if err := syscall.Kill(pid, syscall.SIGKILL); err != nil {
						t.Fatal(err)
					}
				}
			}
			_, err = w.Run(t.Context(), engine.Command{Argv: []string{"sleep", "1000"}})
			var failure *engine.Failure
			if !errors.As(err, &failure) || failure.Status != engine.Unreachable || failure.Cause != engine.CauseAgentDied {
				t.Errorf("got %v, want an agent that died", err)
			}
			if _, err := w.Close(t.Context()); err == nil {
				t.Error("an attempt on a dead agent was closed without an error")
			}
			if victim == "both" {
				fenced, err := h.Fence(t.Context(), a)
				if err != nil || fenced.How != "swept" {
					t.Errorf("fence: %+v, %v", fenced, err)
				}
			}
			expectGone(t, a.Nonce)
			again := remotetest.NewAttempt()
			w, err = h.Open(t.Context(), again)
			if err != nil {
				t.Fatalf("the next attempt: %v", err)
			}
			if out, err := w.Run(t.Context(), engine.Command{Argv: []string{"true"}}); err != nil || out.Code != 0 {
				t.Errorf("the next attempt: %+v, %v", out, err)
			}
		})
	}
}

func TestClosedHostKillsAll(t *testing.T) {
	h := connect(t, remote.Local{})
	a := remotetest.NewAttempt()
	w, err := h.Open(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Start(t.Context(), engine.Command{Argv: []string{"sh", "-c", leave}}, engine.Ready{Pattern: "left"}); err != nil {
		t.Fatal(err)
	}
	if err := h.Close(); err != nil {
		t.Fatal(err)
	}
	expectGone(t, a.Nonce)
	if _, err := h.Open(t.Context(), a); err == nil {
		t.Error("a closed host began an attempt")
	}
}

// exclusive connects as a campaign that wants the host for itself, by a lock
// that no other test uses.
func exclusive(t *testing.T, campaign string, shared bool) (*remote.Host, error) {
	t.Helper()
	o := quick()
	o.Campaign = campaign
	spec := here()
	spec.Shared = shared
	h, err := remote.Connect(t.Context(), remote.Local{}, spec, o)
	if err == nil {
		t.Cleanup(func() { h.Close() })
	}
	return h, err
}

func TestHostIsOneCampaigns(t *testing.T) {
	t.Setenv("MPF_HOST_LOCK", filepath.Join(t.TempDir(), "lock"))
	first, err := exclusive(t, "first", false)
	if err != nil {
		t.Fatal(err)
	}
	for _, shared := range []bool{false, true} {
		_, err = exclusive(t, "second", shared)
		var failure *engine.Failure
		if !errors.As(err, &failure) || failure.Status != engine.Unreachable || !strings.Contains(err.Error(), fmt.Sprintf("in use by mpf with pid %d", os.Getpid())) {
			t.Errorf("a second campaign: %v", err)
		}
	}
	if err := first.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := exclusive(t, "second", true); err != nil {
		t.Errorf("after the first: %v", err)
	}
	if _, err := exclusive(t, "third", true); err != nil {
		t.Errorf("beside one that shares: %v", err)
	}
	if _, err := exclusive(t, "fourth", false); err == nil {
		t.Error("a campaign that wants the host alone got it beside others")
	}
}

// A machine in parts is one campaign's as well, and one of its parts locks it.
func TestAMachineInPartsIsOneCampaigns(t *testing.T) {
	t.Setenv("MPF_HOST_LOCK", filepath.Join(t.TempDir(), "lock"))
	const parts = "  part: {of: here, cpus: 0}\n  other: {of: part, cpus: 0}\n"
	c := cluster(t, "", "hosts:\n  here: {local: true}\n"+parts)
	f := open(t, c)
	for _, r := range f.Reached {
		if r.Host.Info().Shared {
			t.Errorf("another campaign may use %s", r.Name)
		}
	}
	second, err := remote.Open(t.Context(), c, remote.Options{Hosts: []string{"other", "part"}, Link: quick()})
	if err == nil || strings.Count(err.Error(), "in use by mpf with pid") != 1 {
		t.Errorf("a second campaign: %v", err)
	}
	if err := errors.Join(second.Close(), f.Close()); err != nil {
		t.Fatal(err)
	}
	shared := cluster(t, "", "hosts:\n  here: {local: true, shared: true}\n"+parts)
	open(t, shared)
	if !open(t, shared).Reached[1].Host.Info().Shared {
		t.Error("a part of a shared machine is not shared")
	}
}

// An invocation of a campaign takes the host from one that it follows.
func TestCampaignSucceedsItself(t *testing.T) {
	t.Setenv("MPF_HOST_LOCK", filepath.Join(t.TempDir(), "lock"))
	first, err := exclusive(t, "same", false)
	if err != nil {
		t.Fatal(err)
	}
	a := remotetest.NewAttempt()
	w, err := first.Open(t.Context(), a)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Start(t.Context(), engine.Command{Argv: []string{"sh", "-c", leave}}, engine.Ready{Pattern: "left"}); err != nil {
		t.Fatal(err)
	}
	if _, err := exclusive(t, "same", false); err != nil {
		t.Fatal(err)
	}
	expectGone(t, a.Nonce)
	if _, err := w.Run(t.Context(), engine.Command{Argv: []string{"true"}}); err == nil {
		t.Error("the first still runs commands")
	}
}

// A script whose interpreter there is not is there itself.
func TestAScriptWithoutItsInterpreterIsNotMissing(t *testing.T) {
	h := connect(t, remote.Local{})
	defer h.Close()
	w, err := h.Open(t.Context(), remotetest.NewAttempt())
	if err != nil {
		t.Fatal(err)
	}
	if err := w.WriteFile(t.Context(), "script", []byte("#!/no/such/interpreter\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	_, err = w.Run(t.Context(), engine.Command{Argv: []string{"./script"}})
	if err == nil || !strings.Contains(err.Error(), `command "./script": what it is to be run by is not on this host (see its #! line)`) {
		t.Error(err)
	}
}

// What a process printed so far is not taken for whole where it is not.
func TestOutputSoFarThatIsCutIsRefused(t *testing.T) {
	h := connect(t, remote.Local{})
	defer h.Close()
	w, err := h.Open(t.Context(), remotetest.NewAttempt())
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.Start(t.Context(), engine.Command{Argv: []string{"head", "-c", "70000000", "/dev/zero"}}, engine.Ready{})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Wait(t.Context()); err != nil {
		t.Fatal(err)
	}
	if text, err := p.Stdout(t.Context()); err == nil || !strings.Contains(err.Error(), "head: stdout is truncated: 67108864 of 70000000 bytes were kept") {
		t.Errorf("%d bytes, %v", len(text), err)
	}
}

// What is printed beyond the bounds must not fill the controller.
func TestOutputIsBounded(t *testing.T) {
	size := int64(100_000_000)
	if *long {
		size *= 10
	}
	h := connect(t, remote.Local{})
	defer h.Close()
	w, err := h.Open(t.Context(), remotetest.NewAttempt())
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	out, err := w.Run(t.Context(), engine.Command{Argv: []string{"head", "-c", strconv.FormatInt(size, 10), "/dev/zero"}})
	if err != nil || out.Stdout.Size != size || !out.Stdout.Truncated {
		t.Fatalf("%d bytes, truncated %v, %v", out.Stdout.Size, out.Stdout.Truncated, err)
	}
	runtime.ReadMemStats(&after)
	const most = 100 << 20
	if grown := after.TotalAlloc - before.TotalAlloc; grown > most {
		t.Errorf("the controller took %d bytes", grown)
	}
}
