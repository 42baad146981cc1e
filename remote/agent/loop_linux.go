package agent

import (
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"syscall"
)

// A loop waits for descriptors and calls who handles them, all on one thread:
// between a request and the end of the command that it started, nobody else has
// to be woken.
type loop struct {
	epoll int

	thread atomic.Int64 // that handles events, or 0

	mu       sync.Mutex
	handlers map[int]func()
}

func newLoop() (*loop, error) {
	fd, err := syscall.EpollCreate1(syscall.EPOLL_CLOEXEC)
	if err != nil {
		return nil, fmt.Errorf("wait for events: %w", err)
	}
	return &loop{epoll: fd, handlers: map[int]func(){}}, nil
}

// watch calls handle whenever there is something to read. It may be called from
// any goroutine.
func (l *loop) watch(fd int, handle func()) error {
	l.mu.Lock()
	l.handlers[fd] = handle
	l.mu.Unlock()
	err := syscall.EpollCtl(l.epoll, syscall.EPOLL_CTL_ADD, fd, &syscall.EpollEvent{Events: syscall.EPOLLIN, Fd: int32(fd)})
	if err != nil {
		l.forget(fd)
	}
	return err
}

// close closes a descriptor, which ends its watch.
func (l *loop) close(fd int) {
	l.forget(fd)
	syscall.Close(fd) // it was only read
}

func (l *loop) forget(fd int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	delete(l.handlers, fd)
}

// run handles events while goOn, and calls turned after those that came together.
// The caller's thread is its own.
func (l *loop) run(goOn func() bool, turned func()) error {
	l.thread.Store(int64(syscall.Gettid()))
	defer l.thread.Store(0)
	events := make([]syscall.EpollEvent, 64)
	for goOn() {
		n, err := syscall.EpollWait(l.epoll, events, -1)
		if errors.Is(err, syscall.EINTR) {
			continue
		}
		if err != nil {
			return fmt.Errorf("wait for events: %w", err)
		}
		for _, event := range events[:n] {
			l.mu.Lock()
			handle := l.handlers[int(event.Fd)]
			l.mu.Unlock()
			if handle != nil {
				handle()
			}
		}
		turned()
	}
	return nil
}

// here reports whether the caller was called by run.
func (l *loop) here() bool { return l.thread.Load() == int64(syscall.Gettid()) }
