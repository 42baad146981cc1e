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
	loop     *Loop
	group    *Group
	place    int // of the group among all
	ground   *groundwork
	renewals int       // of the group's setup
	ended    time.Time // of the run before, zero at first
	lost     error     // why the group can take no more runs
}

func (l *Loop) workers(g *groundwork) []*worker {
	workers := make([]*worker, len(l.Groups))
	for i := range l.Groups {
		workers[i] = &worker{loop: l, group: &l.Groups[i], place: i, ground: g}
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
	if !errors.As(w.lost, &lost) {
		return false
	}
	host := w.group.Hosts[lost.Host]
	if host == nil || host.Reach(ctx) != nil || w.renew(ctx) != nil {
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
		if hostGone(done.Status, done.Cause) {
			if err := w.restore(ctx, done.Host); err != nil {
				return err
			}
		}
		if try > w.retries(run, done) {
			return w.judge(done)
		}
	}
}

// restore waits for a host that was lost, and makes its group as it was.
func (w *worker) restore(ctx context.Context, host string) error {
	if err := w.await(ctx, host); err != nil {
		return err
	}
	return w.renew(ctx)
}

// await waits for a host that was unreachable to answer again.
func (w *worker) await(ctx context.Context, name string) error {
	return w.awaitUntil(ctx, name, w.loop.Clock.Now().Add(w.loop.Limits.Patience))
}

func (w *worker) awaitUntil(ctx context.Context, name string, deadline time.Time) error {
	host := w.group.Hosts[name]
	if host == nil {
		return nil
	}
	clock := w.loop.Clock
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
