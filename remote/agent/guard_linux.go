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
	// The worker gets a signal when the thread that started it ends.
	runtime.LockOSThread()
	if err := becomeReaper(); err != nil {
		return exitFailed, err
	}
	greeting, err := wire.ReadGreeting(fdStream{in: stdin})
	if err != nil {
		return exitFailed, err
	}
	sum := sumSelf(greeting.Hash)
	var keeper keeperWay
	if err := syscall.Pipe2(keeper.pipe[:], syscall.O_CLOEXEC); err != nil {
		return exitFailed, fmt.Errorf("a pipe to the keeper: %w", err)
	}
	pid, err := withLateness(func() (int, error) {
		return syscall.ForkExec(selfPath, []string{args[0], wire.AgentArgument, workerArgument}, &syscall.ProcAttr{
			Env:   os.Environ(),
			Files: []uintptr{0, 1, 2, keeperDescriptor: uintptr(keeper.pipe[1])},
			Sys:   &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGTERM},
		})
	})
	if err != nil {
		return exitFailed, fmt.Errorf("start the worker: %w", err)
	}
	syscall.Close(keeper.pipe[1]) // its writing end is the worker's alone
	stop := passSignals(pid, func() { keeper.start(tunedScript(pid)) })
	defer stop()
	if err := answer(greeting, sum); err != nil {
		return exitFailed, err
	}
	code := waitForWorker(pid)
	keeper.end(tunedScript(pid))
	// An orderly worker leaves nothing; what another one left gets no grace.
	killDescendants(0)
	return code, nil
}

// passSignals hands what would end the guard to the worker, which then ends in
// order. A SIGUSR1 is the worker's wish for a keeper.
func passSignals(worker int, keep func()) (stop func()) {
	signals := make(chan os.Signal, 1)
	done := make(chan struct{})
	wishes := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGINT, syscall.SIGTERM)
	signal.Notify(wishes, syscall.SIGUSR1)
	go func() {
		for {
			select {
			case <-wishes:
				keep()
			case <-signals:
				// A worker that is gone needs no signal.
				_ = syscall.Kill(worker, syscall.SIGTERM)
			case <-done:
				return
			}
		}
	}()
	return func() {
		signal.Stop(signals)
		signal.Stop(wishes)
		close(done)
	}
}

// answer sends the preamble.
func answer(g wire.Greeting, sum func() (string, error)) error {
	p := wire.Preamble{Token: g.Token, Protocol: wire.Protocol}
	var err error
	if p.SHA256, err = sum(); err != nil {
		return err
	}
	_, err = io.WriteString(fdStream{out: stdout}, p.String())
	return err
}

// sumSelf hashes this program where that is wanted, while its caller goes on: it
// takes as long as a start does otherwise.
func sumSelf(wanted bool) func() (string, error) {
	if !wanted {
		return func() (string, error) { return "", nil }
	}
	var sum string
	var err error
	done := make(chan struct{})
	go func() {
		defer close(done)
		sum, err = hashFile(selfPath)
	}()
	return func() (string, error) {
		<-done
		return sum, err
	}
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
