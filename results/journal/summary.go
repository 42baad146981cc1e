package journal

import (
	"slices"

	"mpf/engine"
	"mpf/results/record"
)

// A Summary is what a journal holds beside its runs.
type Summary struct {
	Plans      []Planned
	Inputs     []record.File
	Decisions  []engine.Decision
	DecidedBy  []int // the plan that was in force at each decision
	Invocation int
	Done       int64    // DONE events
	N          uint64   // the last durable frame
	Dropped    *Dropped // where sample segments are gone
	Closed     *Closed  // where the last invocation ended cleanly
}

// Summary returns what the journal holds beside its runs.
func (j *Journal) Summary() Summary {
	j.mu.Lock()
	defer j.mu.Unlock()
	s := j.state
	return Summary{
		Plans: slices.Clip(s.plans), Inputs: slices.Clip(s.inputs), Decisions: slices.Clip(s.decisions), DecidedBy: slices.Clip(s.decidedBy),
		Invocation: s.invocation, Done: s.done, N: j.durable().N, Dropped: s.dropped, Closed: s.closed,
	}
}
