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
	turn     *turn     // or nil
	absent   *absence  // or nil: all hosts are there
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

// A turn is a run that is a worker's to execute until an attempt ends it for good.
type turn struct {
	run    engine.Run
	before int // attempts of earlier invocations
	tries  int
}

// work executes runs until there are no more, ctx ends or the group is lost.
// Its error ends the loop.
func (w *worker) work(ctx context.Context, s *shift) error {
	defer s.leave()
	if w.lost != nil && !w.rejoins(s) {
		return nil
	}
	for ctx.Err() == nil {
		err := w.regain(ctx, s)
		if err == nil && w.turn == nil && !w.pull(s) || errors.Is(err, errBlockOver) {
			return nil
		}
		if err == nil {
			err = w.advance(ctx)
		}
		if lost := new(HostLost); errors.As(err, &lost) {
			w.lost = err
			w.loop.Watch.GivenUp(lost.Host, lost.Err)
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// rejoins asks a lost group's host once whether it is back.
func (w *worker) rejoins(s *shift) bool {
	var lost *HostLost
	if !errors.As(w.lost, &lost) {
		return false
	}
	host := w.group.Hosts[lost.Host]
	if host == nil || s.wait(host.Reach) != nil {
		return false
	}
	if w.absent == nil {
		w.absent = &absence{vigil: w.loop.newVigil()}
		w.loop.Watch.Back(lost.Host, engine.Fenced{})
	}
	w.lost = nil
	return true
}

// pull takes the next run of a block; false where there is none.
func (w *worker) pull(s *shift) bool {
	run, ok := s.pull()
	if ok {
		w.turn = &turn{run: run, before: w.loop.Ledger.State(run.ID).Attempts}
	}
	return ok
}

// advance makes one attempt of the worker's run.
func (w *worker) advance(ctx context.Context) error {
	t := w.turn
	t.tries++
	done, err := w.attempt(ctx, t.run, t.before+t.tries)
	if err != nil {
		w.turn = nil
		return err
	}
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if t.tries <= w.retries(t.run, done) {
		return nil
	}
	w.turn = nil
	return w.judge(done)
}

func newNonce() string {
	var raw [16]byte
	rand.Read(raw[:]) // never fails: it ends the program instead
	return hex.EncodeToString(raw[:])
}
