package remotetest

import (
	"os/exec"
	"runtime"
	"syscall"
	"testing"
)

// A held process dies with this one, however this one ends.
type held struct {
	cmd  *exec.Cmd
	over chan struct{}
}

// hold starts a process from a thread that lives as long as it: the kernel ties
// the child to the thread that made it.
func hold(t testing.TB, cmd *exec.Cmd) *held {
	t.Helper()
	h := &held{cmd: cmd, over: make(chan struct{})}
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
	started := make(chan error)
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		err := cmd.Start()
		started <- err
		if err == nil {
			_ = cmd.Wait()
			close(h.over)
		}
	}()
	if err := <-started; err != nil {
		t.Fatal(err)
	}
	return h
}

// holdNetwork makes a network namespace.
func holdNetwork(t testing.TB) *held {
	t.Helper()
	cmd := exec.Command("unshare", "--net", "sh", "-c", "echo; exec sleep infinity")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	h := hold(t, cmd)
	if _, err := out.Read(make([]byte, 1)); err != nil { // it is in the namespace
		t.Fatal(err)
	}
	return h
}

func (h *held) pid() int { return h.cmd.Process.Pid }

func (h *held) ended() bool {
	select {
	case <-h.over:
		return true
	default:
		return false
	}
}

func (h *held) kill() {
	killTree(h.pid())
	<-h.over
}
