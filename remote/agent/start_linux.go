package agent

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"sync"
	"syscall"
	"time"

	"mpf/remote/wire"
)

// readyLimit is how long a process may take to be ready if nothing else is said.
const readyLimit = 30 * time.Second

// start starts a command and answers once it is ready.
func (s *server) start(w *workspace, id uint32, r *wire.Request, stdin []byte) {
	p := w.newProcess(id, r.Command)
	s.watchOutput(p)
	if r.Watch {
		s.follow(p)
	}
	ready := readiness(w, p, r.Ready)
	if err := p.start(r.Command, stdin); err != nil {
		w.drop(p)
		s.refuse(id, err)
		return
	}
	if r.Command.Timeout > 0 {
		p.after(r.Command.Timeout, p.expire)
	}
	if ready == nil {
		s.reply(id, wire.Response{}, nil)
		return
	}
	cancelled := make(chan struct{})
	var once sync.Once
	if err := s.enter(id, &call{cancel: func() { once.Do(func() { close(cancelled) }) }}); err != nil {
		s.refuse(id, err)
		return
	}
	go s.awaitReady(p, id, r.Ready, ready, cancelled)
}

// awaitReady answers a start. A process that did not become ready is stopped.
func (s *server) awaitReady(p *process, id uint32, r *wire.Ready, ready func() bool, cancelled <-chan struct{}) {
	limit := r.Timeout
	if limit <= 0 {
		limit = readyLimit
	}
	late := time.NewTimer(limit)
	defer late.Stop()
	err := poll(ready, func() error {
		select {
		case <-p.ended:
			return failed("command %q: ended with %s before it was ready; it printed %q", p.name, exitText(p.exit), p.lastWords())
		case <-late.C:
			return timedOut("command %q: not ready after %s: %s", p.name, limit, p.notReady(r))
		case <-cancelled:
			return failed("command %q: no longer wanted", p.name)
		default:
			return nil
		}
	})
	if err != nil {
		p.stop()
		s.refuse(id, err)
		return
	}
	s.reply(id, wire.Response{}, nil)
}

// poll asks ever less often until ready, or until hopeless returns an error.
func poll(ready func() bool, hopeless func() error) error {
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		if ready() {
			return nil
		}
		if err := hopeless(); err != nil {
			return err
		}
		time.Sleep(pause)
	}
}

func (p *process) notReady(r *wire.Ready) string {
	switch {
	case r.Port == 0 && p.stale:
		return fmt.Sprintf("the file %q is there since before (remove it first, or take another name)", r.File)
	case r.Port == 0:
		return fmt.Sprintf("there is no file %q", r.File)
	case len(listeners(r.Port, p.pid)) > 0:
		return fmt.Sprintf("another program listens on port %d since before (end it, or take another port)", r.Port)
	}
	return fmt.Sprintf("nothing listens on port %d", r.Port)
}

func exitText(e *wire.Exit) string {
	if e.Signal != "" {
		return e.Signal
	}
	return fmt.Sprintf("exit status %d", e.Code)
}

// lastWords is the end of what a process printed, on stderr if it did.
func (p *process) lastWords() string {
	text := bytes.TrimSpace(p.stderr.snapshot().head)
	if len(text) == 0 {
		text = bytes.TrimSpace(p.stdout.snapshot().head)
	}
	const enough = 300
	if len(text) > enough {
		text = text[len(text)-enough:]
	}
	return string(text)
}

// readiness makes the question whether a process is ready; nil where it always
// is. Who listened on a port before is somebody else, and what left a file.
func readiness(w *workspace, p *process, r *wire.Ready) func() bool {
	switch {
	case r == nil:
		return nil
	case r.Port != 0:
		before := listeners(r.Port, os.Getpid())
		return func() bool {
			return slices.ContainsFunc(listeners(r.Port, p.pid), func(socket string) bool { return !slices.Contains(before, socket) })
		}
	case r.File != "":
		return p.newer(w.resolve(r.File))
	}
	return nil
}

// newer makes the question whether a file is there that was not, or was changed.
func (p *process) newer(path string) func() bool {
	var before, now syscall.Stat_t
	p.stale = syscall.Stat(path, &before) == nil
	return func() bool {
		return syscall.Stat(path, &now) == nil && (!p.stale || now.Ino != before.Ino || now.Ctim != before.Ctim)
	}
}
