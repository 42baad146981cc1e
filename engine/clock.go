package engine

import (
	"context"
	"time"
)

// A Clock tells the time. Its times carry a monotonic reading where the system
// has one.
type Clock interface {
	Now() time.Time
	Sleep(ctx context.Context, d time.Duration) error
}

// SystemClock is the clock of the machine.
type SystemClock struct{}

func (SystemClock) Now() time.Time { return time.Now() }

// Sleep waits for d, or until ctx ends, whose error it returns then.
func (SystemClock) Sleep(ctx context.Context, d time.Duration) error {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
