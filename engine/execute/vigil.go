package execute

import (
	"context"
	"errors"
	"time"
)

// A vigil is the waiting for hosts of a group. It may be broken off and gone on
// with.
type vigil struct {
	until  time.Time
	longer func() bool // or nil: whether it goes on after that
	again  time.Time   // not before that a host is asked
	pause  time.Duration
}

// over reports whether a host that cannot be asked again before a time is waited
// for no more.
func (v *vigil) over(again time.Time) bool {
	return !again.Before(v.until) && (v.longer == nil || !v.longer())
}

// longestPause is the most time between two questions to a host that is away.
const longestPause = 15 * time.Second

func (l *Loop) newVigil() *vigil {
	return &vigil{until: l.Clock.Now().Add(l.Limits.Patience)}
}

// await asks for a host until it answers.
func (w *worker) await(ctx context.Context, name string, v *vigil, ask func() error) error {
	clock := w.loop.Clock
	for {
		if err := clock.Sleep(ctx, v.again.Sub(clock.Now())); err != nil {
			return context.Cause(ctx)
		}
		err := ask()
		if err == nil {
			v.pause = 0
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		v.pause = min(max(2*v.pause, time.Second), longestPause)
		if v.again = clock.Now().Add(v.pause); final(err) || v.over(v.again) {
			return &HostLost{Host: name, Err: err}
		}
		w.loop.Watch.Waiting(name, err)
	}
}

// final reports whether waiting cannot mend why a host was not reached, such as
// a changed host key.
func final(err error) bool {
	var refusal interface{ Final() bool }
	return errors.As(err, &refusal) && refusal.Final()
}
