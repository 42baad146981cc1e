package client

import (
	"context"
	"sync"
)

// shared are the connections to jump hosts in use.
type shared struct {
	lock sync.Mutex
	all  map[string]*way
}

// A way is a connection to a jump host that hosts behind it share.
type way struct {
	name  string
	conn  *Conn
	err   error
	ready chan struct{}
	users int
}

// take returns the way of that name, dialled if nobody has it or it is dead.
// The first to ask dials for all, in its own context.
func (s *shared) take(ctx context.Context, name string, dial func(context.Context) (*Conn, error)) (*way, error) {
	s.lock.Lock()
	w := s.all[name]
	if w == nil || w.dead() {
		w = &way{name: name, ready: make(chan struct{})}
		if s.all == nil {
			s.all = map[string]*way{}
		}
		s.all[name] = w
		go func() {
			w.conn, w.err = dial(context.WithoutCancel(ctx))
			close(w.ready)
		}()
	}
	w.users++
	s.lock.Unlock()
	select {
	case <-w.ready:
	case <-ctx.Done():
		go s.giveLater(w)
		return nil, context.Cause(ctx)
	}
	if w.err != nil {
		s.give(w)
		return nil, w.err
	}
	return w, nil
}

// dead reports whether the way was there and is no more.
func (w *way) dead() bool {
	select {
	case <-w.ready:
		return w.err != nil || w.conn.Dead()
	default:
		return false
	}
}

func (s *shared) giveLater(w *way) {
	<-w.ready
	s.give(w)
}

// give returns a way; the last of its users closes it.
func (s *shared) give(w *way) {
	s.lock.Lock()
	w.users--
	last := w.users == 0
	if last && s.all[w.name] == w {
		delete(s.all, w.name)
	}
	s.lock.Unlock()
	if last && w.conn != nil {
		_ = w.conn.Close()
	}
}
