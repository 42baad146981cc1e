package execute

import (
	"context"
	"errors"
	"sync"

	"mpf/engine"
)

// A shift is the work of all groups on one block. A group that waits for a host
// does not hold up the others: where nobody else has anything left to do, it goes
// on waiting in the next block, and takes the run along that it lost.
type shift struct {
	waiting context.Context // of those who wait
	end     context.CancelFunc
	over    context.CancelCauseFunc
	whole   bool // it ends with the last of those who wait

	lock  sync.Mutex
	next  func() (engine.Run, bool)
	busy  int  // groups that do not wait
	empty bool // no run is left to begin
}

// errBlockOver ends the waiting for a host, not the waiting for good.
var errBlockOver = errors.New("the block is over")

func newShift(ctx context.Context, next func() (engine.Run, bool), groups int, whole bool) *shift {
	s := &shift{next: next, busy: groups, whole: whole}
	s.waiting, s.over = context.WithCancelCause(ctx)
	s.end = func() { s.over(nil) }
	return s
}

// pull takes the next run; false where there is none.
func (s *shift) pull() (engine.Run, bool) {
	s.lock.Lock()
	defer s.lock.Unlock()
	run, ok := s.next()
	s.empty = !ok
	return run, ok
}

// wait does what waits for a host, in a context that ends with the block.
func (s *shift) wait(do func(ctx context.Context) error) error {
	s.count(-1)
	defer s.count(+1)
	return do(s.waiting)
}

// others reports whether a group works while one waits.
func (s *shift) others() bool {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.busy > 0
}

// leave says that a group has nothing left to do.
func (s *shift) leave() { s.count(-1) }

func (s *shift) count(groups int) {
	s.lock.Lock()
	defer s.lock.Unlock()
	s.busy += groups
	if s.busy == 0 && s.empty && !s.whole {
		s.over(errBlockOver)
	}
}
