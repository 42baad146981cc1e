package execute

import (
	"context"
	"fmt"
	"sync"

	"mpf/engine"
)

// background is the processes that the steps of an attempt left running, with
// the page that their ends belong to.
type background struct {
	lock sync.Mutex
	left []*started
}

// A watchedWorkspace is a workspace as one step sees it: what the step starts
// is remembered until somebody has seen its end.
type watchedWorkspace struct {
	engine.Workspace
	page *page
	all  *background
}

func (w *watchedWorkspace) Start(ctx context.Context, c engine.Command, ready engine.Ready) (engine.Process, error) {
	process, err := w.Workspace.Start(ctx, c, ready)
	if err != nil {
		return nil, err
	}
	s := &started{Process: process, page: w.page, name: c.Name}
	if s.name == "" {
		s.name = c.Argv[0]
	}
	w.all.lock.Lock()
	defer w.all.lock.Unlock()
	w.all.left = append(w.all.left, s)
	return s, nil
}

// A started process knows whether its end has been seen.
type started struct {
	engine.Process
	page *page
	name string

	lock sync.Mutex
	seen bool
}

func (s *started) Wait(ctx context.Context) (engine.Output, error) {
	return s.see(s.Process.Wait(ctx))
}

func (s *started) Stop(ctx context.Context) (engine.Output, error) {
	return s.see(s.Process.Stop(ctx))
}

func (s *started) see(o engine.Output, err error) (engine.Output, error) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.seen = s.seen || err == nil
	return o, err
}

func (s *started) isSeen() bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.seen
}

// stop ends what is left, the newest first, and keeps what it printed. One that
// cannot be stopped is left to the workspace's end.
func (b *background) stop(ctx context.Context) {
	for i := len(b.left) - 1; i >= 0; i-- {
		s := b.left[i]
		if s.isSeen() {
			continue
		}
		if output, err := s.Process.Stop(ctx); err == nil {
			output.Background = true
			s.page.Command(output)
			s.warnOf(output)
		}
	}
}

// EndedEarly is the code of the warning that a background process failed before
// it was stopped, and no step saw it.
const EndedEarly = "ended-early"

// warnOf makes a warning of the end of a process that failed by itself.
func (s *started) warnOf(o engine.Output) {
	how := fmt.Sprintf("exit status %d", o.Code)
	switch {
	case o.Stopped, o.Code == 0:
		return
	case o.Signal != "":
		how = o.Signal
	}
	s.page.notes.warn(engine.Warning{Code: EndedEarly, Text: fmt.Sprintf(
		"%s: background process %q ended by itself, with %s (its step can see to that: process.wait)", s.page.record.Host, s.name, how)})
}
