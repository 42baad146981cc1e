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

// Sealed returns the segments that will not change any more and are known by their
// hash: what was written, whatever lies there now.
func (j *Journal) Sealed() map[string]record.File {
	sealed := map[string]record.File{}
	for _, seg := range j.durableSegments() {
		if seg.sha256 != "" {
			sealed[seg.name()] = record.File{Path: seg.name(), Size: seg.end.Size, SHA256: seg.sha256}
		}
	}
	return sealed
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
