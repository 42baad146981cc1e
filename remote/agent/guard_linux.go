package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"syscall"

	"mpf/remote/wire"
)

const selfPath = "/proc/self/exe"

// guard answers the greeting, starts the worker and outlives it: what the worker
// leaves behind when it is killed becomes the guard's to kill.
func guard(args []string) (int, error) {
	if err := becomeReaper(); err != nil {
		return exitFailed, err
	}
	greeting, err := wire.ReadGreeting(fdStream{in: stdin})
	if err != nil {
		return exitFailed, err
	}
	keeper := new(keeperWay)
	if err := syscall.Pipe2(keeper.pipe[:], syscall.O_CLOEXEC); err != nil {
		return exitFailed, fmt.Errorf("a pipe to the keeper: %w", err)
	}
	worker := make(chan started, 1)
	over := make(chan struct{})
	defer close(over)
	go tendWorker(args[0], keeper, worker, over)
	// A hash takes as long as all else does, so the worker is started meanwhile.
	sum, err := sumSelf(greeting.Hash)
	if err != nil {
		return exitFailed, err
	}
	w := <-worker
	if w.err != nil {
		return exitFailed, fmt.Errorf("start the worker: %w", w.err)
	}
	if err := answer(greeting, sum); err != nil {
		return exitFailed, err
	}
	code := waitForWorker(w.pid)
	keeper.end(tunedScript(w.pid))
	// An orderly worker leaves nothing; what another one left gets no grace.
	killDescendants(0)
	return code, nil
}

// started is a worker, or why there is none.
type started struct {
	pid int
	err error
}

// tendWorker starts the worker, and hands it what would end the guard, so that it
// ends in order. A SIGUSR1 is the worker's wish for a keeper.
func tendWorker(program string, keeper *keeperWay, worker chan<- started, over <-chan struct{}) {
	// The worker gets a signal when the thread that started it ends.
	runtime.LockOSThread()
	signals, wishes := make(chan os.Signal, 1), make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	signal.Notify(wishes, syscall.SIGUSR1)
	pid, err := startWorker(program, keeper.pipe[1])
	worker <- started{pid, err}
	if err != nil {
		return
	}
	for {
		select {
		case <-wishes:
			keeper.start(tunedScript(pid))
		case <-signals:
			// A worker that is gone needs no signal.
			_ = syscall.Kill(pid, syscall.SIGTERM)
		case <-over:
			return
		}
	}
}

func startWorker(program string, keeper int) (int, error) {
	defer syscall.Close(keeper) // it is the worker's alone
	return withLateness(func() (int, error) {
		return syscall.ForkExec(selfPath, []string{program, wire.AgentArgument, workerArgument}, &syscall.ProcAttr{
			Env:   os.Environ(),
			Files: []uintptr{0, 1, 2, keeperDescriptor: uintptr(keeper)},
			Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM},
		})
	})
}

// answer sends the preamble.
func answer(g wire.Greeting, sum string) error {
	p := wire.Preamble{Token: g.Token, SHA256: sum, Protocol: wire.Protocol}
	_, err := io.WriteString(fdStream{out: stdout}, p.String())
	return err
}

// sumSelf hashes this program where that is wanted.
func sumSelf(wanted bool) (string, error) {
	if !wanted {
		return "", nil
	}
	return hashFile(selfPath)
}

func hashFile(path string) (string, error) {
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// waitForWorker reaps until the worker ends.
func waitForWorker(worker int) int {
	for {
		var status syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &status, 0, nil)
		switch {
		case errors.Is(err, syscall.EINTR):
		case err != nil:
			return exitFailed
		case pid == worker && status.Exited():
			return status.ExitStatus()
		case pid == worker:
			return exitFailed
		}
	}
}
