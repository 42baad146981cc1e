package journal

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"mpf/engine"
	"mpf/results/record"
)

// state is what the events so far amount to.
type state struct {
	rows       table
	open       map[engine.RunID]*openAttempt
	plans      []Planned
	inputs     []record.File
	decisions  []engine.Decision
	decidedBy  []int // plans in force at the decisions
	invocation int
	done       int64 // DONE events
	counts     counts
	over       overs
	dropped    *Dropped
	closed     *Closed
	reboots    []record.Reboot
	rebooted   map[record.Reboot]int // their numbers, from 1
	touched    []engine.RunID        // since the segment began, with repetitions
	notable    []Event               // of the segment: all but START, DONE and most FENCE
	overSince  overs                 // since the segment began
	learnt     bool                  // some of that is in no event
	leftSince  int64                 // DONE events since then of attempts that left something
}

// openAttempt is a START without its DONE.
type openAttempt struct {
	started *Started
	fences  []*Fenced
}

func newState() *state {
	return &state{
		rows: table{live: map[engine.RunID]row{}}, open: map[engine.RunID]*openAttempt{},
		over: overs{}, overSince: overs{}, rebooted: map[record.Reboot]int{},
	}
}

// counts are how many rows have each status.
type counts [len(engine.Statuses)]int64

// move counts a row whose status was another, or that is new.
func (c *counts) move(from, to uint8) {
	if from > 0 {
		c[from-1]--
	}
	c[to-1]++
}

// beginSegment forgets what belongs to the segment before.
func (s *state) beginSegment() {
	s.touched, s.notable, s.overSince, s.learnt, s.leftSince = nil, nil, overs{}, false, 0
}

// apply adds an event, which lies at a place, or returns which rule it breaks.
func (s *state) apply(event Event, at place) error {
	if s.closed != nil && event.kind() != "OPEN" {
		return fmt.Errorf("%s after CLOSE", event.kind())
	}
	switch e := event.(type) {
	case *Started:
		return s.start(e)
	case *Ended:
		return s.end(e, at)
	case *Fenced:
		return s.fence(e)
	case *Opened:
		if e.Format != Format {
			return fmt.Errorf("format %d, this mpf knows format %d", e.Format, Format)
		}
		s.invocation, s.closed = e.Invocation, nil
	case *Planned:
		if e.Plan != len(s.plans)+1 {
			return fmt.Errorf("plan %d after plan %d", e.Plan, len(s.plans))
		}
		s.plans = append(s.plans, *e)
	case *Kept:
		s.inputs = append(s.inputs, e.File)
	case *Decided:
		s.decisions = append(s.decisions, e.Decision)
		s.decidedBy = append(s.decidedBy, len(s.plans))
	case *Dropped:
		s.dropped = e
	case *Closed:
		s.closed = e
	}
	s.notable = append(s.notable, event)
	return nil
}

func (s *state) start(e *Started) error {
	run := e.Start.Run.ID
	r := s.rows.get(run)
	switch {
	case e.Plan < 1 || e.Plan > len(s.plans):
		return fmt.Errorf("START of run %s under plan %d of %d", run, e.Plan, len(s.plans))
	case s.open[run] != nil:
		return fmt.Errorf("START of run %s whose attempt %d is open", run, r.attempts)
	case r.engineStatus() == engine.OK:
		return fmt.Errorf("START of run %s, which is done", run)
	case e.Start.Attempt != int(r.attempts)+1 && !(e.Adopted && r.attempts == 0 && e.Start.Attempt > 0):
		return fmt.Errorf("START of attempt %d of run %s after attempt %d", e.Start.Attempt, run, r.attempts)
	}
	r.attempts = uint32(e.Start.Attempt)
	s.rows.set(r)
	s.open[run] = &openAttempt{started: e}
	s.touched = append(s.touched, run)
	return nil
}

func (s *state) end(e *Ended, at place) error {
	open := s.open[e.Run]
	switch {
	case open == nil:
		return fmt.Errorf("DONE of run %s, attempt %d, which is not open", e.Run, e.Attempt)
	case open.started.Start.Attempt != e.Attempt:
		return fmt.Errorf("DONE of run %s, attempt %d, while attempt %d is open", e.Run, e.Attempt, open.started.Start.Attempt)
	case open.started.Start.Nonce != e.Nonce:
		return fmt.Errorf("DONE of run %s, attempt %d, with a nonce that is not its own", e.Run, e.Attempt)
	}
	r := s.rows.get(e.Run)
	status := statusCode(e.Done.Status)
	if status == 0 {
		return fmt.Errorf("DONE of run %s with unknown status %q", e.Run, e.Done.Status)
	}
	s.counts.move(r.status, status)
	r.status, r.at = status, at
	s.rows.set(r)
	if e.Done.Status == engine.OK {
		s.over.add(open.started)
		s.overSince.add(open.started)
	}
	if len(e.Files) > 0 || e.Spilled != nil {
		s.leftSince++
	}
	delete(s.open, e.Run)
	s.done++
	s.touched = append(s.touched, e.Run)
	return nil
}

func (s *state) fence(e *Fenced) error {
	if r := s.rows.get(e.Run); e.Attempt < 1 || e.Attempt > int(r.attempts) {
		return fmt.Errorf("FENCE of run %s, attempt %d, which was never started", e.Run, e.Attempt)
	}
	if open := s.open[e.Run]; open != nil && open.started.Start.Attempt == e.Attempt {
		open.fences = append(open.fences, e)
	} else {
		s.learn(e)
	}
	return nil
}

// learn keeps what a FENCE says of an attempt that was closed before.
func (s *state) learn(e *Fenced) {
	r := record.Reboot{Run: e.Run, Attempt: e.Attempt, Host: e.Host}
	if e.Fenced.Rebooted() && s.rebooted[r] == 0 {
		s.reboots = append(s.reboots, r)
		s.rebooted[r] = len(s.reboots)
		s.notable = append(s.notable, e)
	}
}

// openEvents returns the START and FENCE events of all open attempts, in the
// order of their start.
func (s *state) openEvents() []Event {
	var events []Event
	for _, a := range s.openAttempts() {
		events = append(events, a.started)
		for _, f := range a.fences {
			events = append(events, f)
		}
	}
	return events
}

func (s *state) openAttempts() []*openAttempt {
	var all []*openAttempt
	for _, a := range s.open {
		all = append(all, a)
	}
	slices.SortFunc(all, func(a, b *openAttempt) int {
		return cmp.Or(a.started.Start.Wall.Compare(b.started.Start.Wall),
			slices.Compare(a.started.Start.Run.ID[:], b.started.Start.Run.ID[:]))
	})
	return all
}

// reopen sets the open attempts to those that openEvents returned.
func (s *state) reopen(events []placed) error {
	s.open = map[engine.RunID]*openAttempt{}
	for _, p := range events {
		switch e := p.event.(type) {
		case *Started:
			s.open[e.Start.Run.ID] = &openAttempt{started: e}
		case *Fenced:
			open := s.open[e.Run]
			if open == nil {
				return errors.New("FENCE without START")
			}
			open.fences = append(open.fences, e)
		}
	}
	return nil
}
