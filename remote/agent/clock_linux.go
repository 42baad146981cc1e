package agent

import (
	"time"

	"golang.org/x/sys/unix"
)

// sleptSinceBoot is how long the host was suspended: what its boot clock counts
// and its monotonic clock does not.
func sleptSinceBoot() time.Duration {
	return clock(unix.CLOCK_BOOTTIME) - clock(unix.CLOCK_MONOTONIC)
}

func clock(id int32) time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(id, &t); err != nil {
		return 0 // a kernel without that clock
	}
	return time.Duration(t.Nano())
}
