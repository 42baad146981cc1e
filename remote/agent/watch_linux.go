package agent

import (
	"bytes"
	"errors"
	"time"

	"golang.org/x/sys/unix"

	"mpf/remote/sample"
	"mpf/remote/wire"
)

// A watcher is a program that watches the host for a sampler.
type watcher struct{ p *process }

// Watch starts one.
func (s *server) Watch(stderr bool, line func(string), argv ...string) (sample.Watcher, error) {
	house := s.newHouse()
	c := &wire.Command{Argv: argv}
	p := house.newProcess(0, c)
	p.budget.Store(0) // its output goes to line and nowhere else
	lines := &lineSplitter{line: line}
	if stderr {
		p.stderr.watch = lines.take
	} else {
		p.stdout.watch = lines.take
	}
	if err := p.start(c, nil); err != nil {
		return nil, err
	}
	return watcher{p}, nil
}

// Close ends the program. One that had ended by itself failed.
func (w watcher) Close() error {
	defer w.p.owner.server.children.forget(w.p)
	if w.p.isOver() {
		<-w.p.ended
		if w.p.exit.Stopped {
			return nil
		}
		return errors.New("ended with " + exitText(w.p.exit))
	}
	w.p.stop()
	select {
	case <-w.p.ended:
		return nil
	case <-time.After(hopeless):
		return errors.New("does not end")
	}
}

// Finish interrupts the program, as people do who end one at a terminal.
func (w watcher) Finish(patience time.Duration) {
	w.p.mark(func() {
		w.p.stopped = true
		_ = unix.Kill(w.p.pid, unix.SIGINT) // Close ends one that does not heed it
	})
	select {
	case <-w.p.ended:
	case <-time.After(patience):
	}
}

// Ended reports whether the program has ended.
func (w watcher) Ended() bool { return w.p.isOver() }

// CPUSeconds is what the program has used.
func (w watcher) CPUSeconds() float64 {
	if used, over := w.p.used(); over {
		return used
	}
	const ticksPerSecond = 100 // of every Linux that Go runs on
	entry, _ := readProc(w.p.pid)
	return float64(entry.userTicks+entry.systemTicks) / ticksPerSecond
}

// longestLine bounds what is kept of a line that does not end.
const longestLine = 64 << 10

// A lineSplitter makes whole lines of pieces.
type lineSplitter struct {
	line func(string)
	rest []byte
}

func (l *lineSplitter) take(p []byte) {
	l.rest = append(l.rest, p...)
	for {
		line, after, complete := bytes.Cut(l.rest, []byte{'\n'})
		if !complete {
			break
		}
		l.line(string(line))
		l.rest = after
	}
	if len(l.rest) > longestLine {
		l.rest = nil
	}
}
