package link

import "golang.org/x/sys/unix"

// One clock counts while the machine is suspended, the other does not.
const clockAlways, clockAwake = unix.CLOCK_BOOTTIME, unix.CLOCK_MONOTONIC
