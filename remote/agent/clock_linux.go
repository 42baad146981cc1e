package agent

import (
	"time"

	"golang.org/x/sys/unix"
)

// sleepClock tells how long the host was suspended since it booted: what its boot
// clock counts and its monotonic clock does not. Go's own look at the monotonic
// one needs no system call.
func sleepClock() func() time.Duration {
	origin := time.Now()
	begun := clock(unix.CLOCK_MONOTONIC)
	return func() time.Duration { return clock(unix.CLOCK_BOOTTIME) - begun - time.Since(origin) }
}

func clock(id int32) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		return 0 // a kernel without that clock
	}
	return time.Duration(t.Nano())
}
