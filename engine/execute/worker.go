package execute

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"time"

	"mpf/engine"
)

// A worker executes runs on one group, one after another.
type worker struct {
	loop  *Loop
	group *Group
	setup *attempt  // of the group, or nil
	ended time.Time // of the run before, zero at first
	lost  error     // why the group can take no more runs
}

func (l *Loop) workers(g *groundwork) []*worker {
	workers := make([]*worker, len(l.Groups))
	for i := range l.Groups {
		workers[i] = &worker{loop: l, group: &l.Groups[i], setup: g.of(i)}
	}
	return workers
}

// A HostLost is a host that did not come back in time or that holds processes
// which cannot be killed.
type HostLost struct {
	Host string
	Err  error
}

func (e *HostLost) Error() string { return fmt.Sprintf("host %q is lost: %v", e.Host, e.Err) }
func (e *HostLost) Unwrap() error { return e.Err }

// work executes runs until there are no more, ctx ends or the group is lost.
// Its error ends the loop.
func (w *worker) work(ctx context.Context, pull func() (engine.Run, bool)) error {
	if w.lost != nil && !w.rejoins(ctx) {
		return nil
	}
	for ctx.Err() == nil {
		run, ok := pull()
		if !ok {
			return nil
		}
		err := w.run(ctx, run)
		if lost := new(HostLost); errors.As(err, &lost) {
			w.lost = err
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rejoins asks a lost group's host once whether it is back.
func (w *worker) rejoins(ctx context.Context) bool {
	var lost *HostLost
	if !errors.As(w.lost, &lost) || w.group.Hosts[lost.Host].Reach(ctx) != nil {
		return false
	}
	w.lost = nil
	w.loop.Watch.Back(lost.Host)
	return true
}

// run executes a run until an attempt ends it for good.
func (w *worker) run(ctx context.Context, run engine.Run) error {
	before := w.loop.Ledger.State(run.ID).Attempts
	for try := 1; ; try++ {
		done, err := w.attempt(ctx, run, before+try)
		if err != nil {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if done.Status == engine.Unreachable {
			if err := w.await(ctx, done.Host); err != nil {
				return err
			}
		}
		if try > w.retries(run, done) {
			return w.judge(done)
		}
	}
}

// retries says how many attempts may follow the first after such an end.
func (w *worker) retries(run engine.Run, done engine.Done) int {
	switch done.Status {
	case engine.Unreachable:
		return w.loop.Limits.Attempts - 1
	case engine.Interrupted:
		if done.Cause == engine.CauseSuspended {
			return w.loop.Limits.Attempts - 1
		}
	case engine.Failed, engine.TimedOut:
		return w.loop.stepRetries(done.Step)
	}
	return 0
}

func (l *Loop) stepRetries(name string) int {
	for _, stage := range l.Experiment.Timeline {
		for _, step := range stage {
			if step.Name == name {
				return step.Retries
			}
		}
	}
	return 0
}

func (w *worker) judge(done engine.Done) error {
	if w.loop.FirstStops && done.Status != engine.OK && done.Status != engine.Skipped {
		return ErrStopped
	}
	return nil
}

// await waits for a host that was unreachable to answer again.
func (w *worker) await(ctx context.Context, name string) error {
	host := w.group.Hosts[name]
	if host == nil {
		return nil
	}
	clock := w.loop.Clock
	deadline := clock.Now().Add(w.loop.Limits.Patience)
	for pause := time.Second; ; pause = min(2*pause, time.Minute) {
		err := host.Reach(ctx)
		if err == nil {
			w.loop.Watch.Back(name)
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		if final(err) || !clock.Now().Add(pause).Before(deadline) {
			return &HostLost{Host: name, Err: err}
		}
		w.loop.Watch.Waiting(name, err)
		if err := clock.Sleep(ctx, pause); err != nil {
			return context.Cause(ctx)
		}
	}
}

// final reports whether waiting cannot mend why a host was not reached, such as
// a changed host key.
func final(err error) bool {
	var refusal interface{ Final() bool }
	return errors.As(err, &refusal) && refusal.Final()
}

func newNonce() string {
	var raw [16]byte
	rand.Read(raw[:]) // never fails: it ends the program instead
	return hex.EncodeToString(raw[:])
}
