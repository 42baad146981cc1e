package link

import (
	"fmt"
	"time"

	"golang.org/x/sys/unix"

	"mpf/engine"
)

// sleptSoFar is how long this machine was suspended since it booted.
func sleptSoFar() time.Duration { return clockOf(clockAlways) - clockOf(clockAwake) }

func clockOf(id int32) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		return 0 // a system without that clock
	}
	return time.Duration(t.Nano())
}

// overslept is the failure of a link whose own machine was suspended for longer
// than the lease since the last beat: by now its agent has ended all that ran. It
// is nil where the machine was awake.
func (l *Link) overslept() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	err := l.oversleptLocked()
	l.slept = l.options.Slept()
	return err
}

// oversleptLocked is overslept without its mark. The caller holds the lock.
func (l *Link) oversleptLocked() error {
	slept := l.options.Slept() - l.slept
	if slept <= l.options.Lease {
		return nil
	}
	return l.suspension("the machine that runs mpf", slept)
}

// suspended is the failure of an attempt during which the host slept for longer
// than the lease.
func (l *Link) suspended(seconds float64) error {
	slept := time.Duration(seconds * float64(time.Second))
	if slept <= l.options.Lease {
		return nil
	}
	return l.suspension("it", slept)
}

func (l *Link) suspension(who string, slept time.Duration) error {
	return &engine.Failure{
		Status: engine.Interrupted, Cause: engine.CauseSuspended, Host: l.options.Host,
		Message: fmt.Sprintf("%s was suspended for %s", who, slept.Round(time.Second)),
	}
}
