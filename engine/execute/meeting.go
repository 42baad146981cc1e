package execute

import (
	"context"
	"fmt"
	"sync"
)

// A meeting is where the steps of one attempt wait for each other.
type meeting struct {
	lock     sync.Mutex
	barriers map[string]*barrier
	signals  map[string]chan struct{}
}

type barrier struct {
	need, here int
	open       chan struct{}
}

func newMeeting() *meeting {
	return &meeting{barriers: map[string]*barrier{}, signals: map[string]chan struct{}{}}
}

// Barrier returns once n steps wait at the barrier of that name, which can
// then be used again.
func (m *meeting) Barrier(ctx context.Context, name string, n int) error {
	b, err := m.join(name, n)
	if err != nil {
		return err
	}
	select {
	case <-b.open:
		return nil
	case <-ctx.Done():
		return fmt.Errorf("barrier %q: %d of %d came: %w", name, m.waiting(b), n, context.Cause(ctx))
	}
}

func (m *meeting) waiting(b *barrier) int {
	m.lock.Lock()
	defer m.lock.Unlock()
	return b.here
}

func (m *meeting) join(name string, n int) (*barrier, error) {
	m.lock.Lock()
	defer m.lock.Unlock()
	b := m.barriers[name]
	if b == nil {
		b = &barrier{need: n, open: make(chan struct{})}
		m.barriers[name] = b
	}
	if b.need != n {
		return nil, fmt.Errorf("barrier %q: one step waits for %d, another for %d", name, b.need, n)
	}
	b.here++
	if b.here >= b.need {
		close(b.open)
		delete(m.barriers, name)
	}
	return b, nil
}

// Signal lets every Await of that name pass, now and later.
func (m *meeting) Signal(name string) {
	c := m.signal(name)
	m.lock.Lock()
	defer m.lock.Unlock()
	select {
	case <-c:
	default:
		close(c)
	}
}

// Await returns once the name was signalled.
func (m *meeting) Await(ctx context.Context, name string) error {
	select {
	case <-m.signal(name):
		return nil
	case <-ctx.Done():
		return fmt.Errorf("await %q: %w", name, context.Cause(ctx))
	}
}

func (m *meeting) signal(name string) chan struct{} {
	m.lock.Lock()
	defer m.lock.Unlock()
	c := m.signals[name]
	if c == nil {
		c = make(chan struct{})
		m.signals[name] = c
	}
	return c
}
