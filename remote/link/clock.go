package link

import (
	"context"
	"sync"
	"time"

	"mpf/engine"
	"mpf/remote/wire"
)

// exchanges is how often the clocks are compared when a link begins.
const exchanges = 8

// drift is how far two clocks may part in a second: quartz does much better.
const drift = 100e-6

// A clock estimates what must be added to the host's clock. Of all exchanges the
// one with the smallest bound counts; an old one's bound grows.
type clock struct {
	mu     sync.Mutex
	offset time.Duration
	bound  time.Duration
	at     time.Time // zero: never compared
}

// compare takes an exchange: sent and came are the controller's, the rest is the
// host's.
func (c *clock) compare(sent, came time.Time, host wire.Clock) {
	there := time.Duration(host.Answered - host.Came)
	bound := (came.Sub(sent) - there) / 2
	if bound < 0 || there < 0 {
		return // the host's clock was set in between
	}
	offset := time.Duration(sent.UnixNano()-host.Came+came.UnixNano()-host.Answered) / 2
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() || bound <= c.grown(came) || c.contradicts(offset, bound, came) {
		c.offset, c.bound, c.at = offset, bound, came
	}
}

func (c *clock) grown(now time.Time) time.Duration {
	return c.bound + time.Duration(drift*float64(now.Sub(c.at)))
}

// contradicts reports whether a clock was set: the two estimates cannot both be
// right.
func (c *clock) contradicts(offset, bound time.Duration, now time.Time) bool {
	return (offset - c.offset).Abs() > bound+c.grown(now)
}

// estimate is what is known now.
func (c *clock) estimate() engine.ClockOffset {
	c.mu.Lock()
	defer c.mu.Unlock()
	return engine.ClockOffset{Offset: c.offset, Bound: c.grown(time.Now())}
}

// here is a moment of the host on the controller's clock.
func (c *clock) here(hostNanoseconds int64) time.Time {
	return time.Unix(0, hostNanoseconds).Add(c.estimate().Offset)
}

// CompareClocks measures the offset of the host's clock.
func (l *Link) CompareClocks(ctx context.Context) (engine.ClockOffset, error) {
	for range exchanges {
		sent := time.Now()
		a, err := l.do(ctx, &wire.Request{Do: wire.OpClock}, nil, 0)
		if err != nil {
			return engine.ClockOffset{}, err
		}
		if a.Clock != nil {
			l.clock.compare(sent, a.came, *a.Clock)
		}
	}
	return l.clock.estimate(), nil
}

// Clock is the offset as it is known now.
func (l *Link) Clock() engine.ClockOffset { return l.clock.estimate() }
