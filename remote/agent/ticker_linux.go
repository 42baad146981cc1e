package agent

import (
	"encoding/binary"
	"fmt"
	"os"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// A ticker ticks by a timer of the kernel, which wakes the one thread that is
// needed. A timer of Go's wakes others as well, and that costs more than a
// reading does.
type ticker struct{ timer *os.File }

func newTicker(period time.Duration) (*ticker, error) {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return nil, fmt.Errorf("make a timer: %w", err)
	}
	every := unix.NsecToTimespec(int64(period))
	if err := unix.TimerfdSettime(fd, 0, &unix.ItimerSpec{Interval: every, Value: every}, nil); err != nil {
		syscall.Close(fd)
		return nil, fmt.Errorf("set a timer: %w", err)
	}
	return &ticker{os.NewFile(uintptr(fd), "timer")}, nil
}

// wait waits for the next tick and returns how many there were since the last
// one; none where the ticker was stopped.
func (t *ticker) wait() int {
	var count [8]byte
	if _, err := t.timer.Read(count[:]); err != nil {
		return 0
	}
	return int(binary.NativeEndian.Uint64(count[:]))
}

// stop makes wait return at once.
func (t *ticker) stop() {
	_ = t.timer.Close() // nothing was written
}
