package execute

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"mpf/engine"
)

// A Design is the runs to execute, in blocks. Package engine/design has one. Its
// methods are called from several goroutines.
type Design interface {
	Blocks() int
	Without(b int, over engine.Places) iter.Seq[engine.Run] // the runs of a block, but for those
	Observe(run engine.Run, results engine.Results)
	EndBlock(b int) []engine.Decision
}

// A Group is a set of hosts that executes one run at a time. Hosts of different
// groups are disjoint.
type Group struct {
	Name  string
	Roles map[string][]engine.Host
	Hosts map[string]engine.Host // by name, for variables that name hosts
	Links map[string]engine.Link
}

// A Loop executes a campaign. Experiment, Design, Groups and Ledger are needed.
type Loop struct {
	Experiment *engine.Experiment
	Design     Design
	Groups     []Group
	Ledger     engine.Ledger
	Deployer   engine.Deployer // needed where the experiment deploys
	Clock      engine.Clock    // nil: the system's
	Watch      Watch           // nil: nobody watches
	Output     engine.OutputSink
	Limits     Limits
	Again      map[engine.Status]bool // ended runs to repeat beside those that resume
	FirstStops bool                   // the first run that does not end ok ends the loop
	KeepGoing  bool                   // also where the first runs all fail by the same mistake of the file

	over     engine.Places // runs that need no look
	mistakes mistakes
}

// Limits bound what the loop waits for. Zero fields take the defaults.
type Limits struct {
	Attempts int           // of a run that hosts fail, in one invocation; 3
	Patience time.Duration // for a host to come back, longer while other groups work; 15 min
	Cleanup  time.Duration // for cleanup steps; 30 s
	Closing  time.Duration // for closing a workspace: longer than a silent host is believed in; 90 s
}

func (l Limits) withDefaults() Limits {
	if l.Attempts == 0 {
		l.Attempts = 3
	}
	if l.Patience == 0 {
		l.Patience = 15 * time.Minute
	}
	if l.Cleanup == 0 {
		l.Cleanup = 30 * time.Second
	}
	if l.Closing == 0 {
		l.Closing = 90 * time.Second
	}
	return l
}

// ErrStopped is why a loop ended before its design did, without an error of its
// own: a run failed and FirstStops was set.
var ErrStopped = errors.New("stopped at the first run that failed")

// A StorageError is an error of the ledger. Nothing that it acknowledged
// before is lost.
type StorageError struct{ Err error }

func (e *StorageError) Error() string { return e.Err.Error() }
func (e *StorageError) Unwrap() error { return e.Err }

// Execute runs what is missing of the design. It returns nil once every run has
// an end, whatever that end is; ctx.Err() when it was interrupted; a
// *StorageError, a *HostLost, a *SetupError or a *MistakeError where going on is
// senseless.
func (l *Loop) Execute(ctx context.Context) error {
	l.prepare()
	if err := l.endEarlier(ctx); err != nil {
		return err
	}
	ground, err := l.setUp(ctx)
	defer ground.close(context.WithoutCancel(ctx))
	if err != nil {
		return err
	}
	workers := l.workers(ground)
	for b := 1; b <= l.Design.Blocks(); b++ {
		if err := l.block(ctx, workers, b); err != nil {
			return err
		}
		for _, d := range l.Design.EndBlock(b) {
			if err := l.Ledger.Decide(ctx, d); err != nil {
				return &StorageError{err}
			}
		}
	}
	return nil
}

func (l *Loop) prepare() {
	l.Limits = l.Limits.withDefaults()
	if l.Clock == nil {
		l.Clock = engine.SystemClock{}
	}
	if l.Watch == nil {
		l.Watch = silence{}
	}
	l.over = l.Ledger.Over()
	if !l.over.Empty() {
		l.mistakes.otherwise()
	}
	if len(l.Experiment.Stopping) > 0 { // they look at each run's results
		l.over = engine.Places{}
	}
}

// block executes the missing runs of a block on all groups and waits for them.
// A group whose host is lost leaves its work to the others.
func (l *Loop) block(ctx context.Context, workers []*worker, b int) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	next, stop := iter.Pull(l.missing(b))
	defer stop()
	s := newShift(ctx, next, len(workers), l.mustBeWhole(b))
	defer s.end()
	var all sync.WaitGroup
	for _, w := range workers {
		all.Go(func() {
			if err := w.work(ctx, s); err != nil {
				cancel(err)
			}
		})
	}
	all.Wait()
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if _, left := next(); left {
		return workers[0].lost
	}
	return nil
}

// mustBeWhole reports whether nothing may follow a block before each of its runs
// has an end for good.
func (l *Loop) mustBeWhole(b int) bool {
	return b == l.Design.Blocks() || len(l.Experiment.Stopping) > 0
}

// missing yields the runs of a block that have to be executed, and lets the
// design observe those that ended ok before.
func (l *Loop) missing(b int) iter.Seq[engine.Run] {
	return func(yield func(engine.Run) bool) {
		for run := range l.Design.Without(b, l.over) {
			if l.needs(run) && !yield(run) {
				return
			}
		}
	}
}

func (l *Loop) needs(run engine.Run) bool {
	state := l.Ledger.State(run.ID)
	if state.Status == engine.OK {
		l.mistakes.otherwise()
	}
	switch {
	case state.Status == "" || state.Status.Resumes() || l.Again[state.Status]:
		return true
	case state.Status == engine.OK && len(l.Experiment.Stopping) > 0:
		if results, err := l.Ledger.Results(run.ID); err == nil {
			l.Design.Observe(run, results)
		} else {
			l.Watch.Warned(run, engine.Warning{Code: "unread-results", Text: fmt.Sprintf("its results do not count for stopping: %v", err)})
		}
	}
	return false
}
