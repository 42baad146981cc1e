package agent

import "golang.org/x/sys/unix"

// After whatever happened Go's watching thread looks around for at least 10 ms,
// as often as the kernel lets it: every 70 µs. On a host that is quiet but for a
// reading a second, that is most of what an agent does. The kernel lets a thread
// sleep longer than it asked for, by a bound that threads and processes inherit:
// a worker starts with a long one, and its first thread, from which commands
// inherit, goes back.

const (
	usualLateness  = 50_000    // ns; Linux's own
	workerLateness = 2_000_001 // ns, and nobody else's
)

// withLateness starts a worker. Another bound than the usual one was set by
// somebody, and stays.
func withLateness(start func() (int, error)) (int, error) {
	if lateness() != usualLateness {
		return start()
	}
	setLateness(workerLateness)
	defer setLateness(usualLateness)
	return start()
}

// resetLateness is for the thread that starts commands.
func resetLateness() {
	if lateness() == workerLateness {
		setLateness(usualLateness)
	}
}

// lateness is this thread's; negative where it cannot be told.
func lateness() int {
	ns, err := unix.PrctlRetInt(unix.PR_GET_TIMERSLACK, 0, 0, 0, 0)
	if err != nil {
		return -1
	}
	return ns
}

func setLateness(ns uintptr) {
	// Without it the agent costs more, and does the same.
	_ = unix.Prctl(unix.PR_SET_TIMERSLACK, ns, 0, 0, 0)
}
