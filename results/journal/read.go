package journal

import (
	"errors"
	"fmt"
	"iter"
	"slices"

	"mpf/engine"
	"mpf/results/exact"
	"mpf/results/fsys"
)

// An Attempt is the two ends of a closed attempt. Sequence counts the DONE
// events, from 1.
type Attempt struct {
	Sequence int64
	*Started
	*Ended
}

// Row returns the DONE of the attempt that makes the row of a run, nil if the
// run has no row.
func (j *Journal) Row(run engine.RunID) (ended *Ended, err error) {
	j.mu.Lock()
	at := j.state.rows.get(run).at
	j.mu.Unlock()
	if at.length == 0 {
		return nil, nil
	}
	name := segmentName(int(at.segment))
	f, err := fsys.Open(j.tree, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	b := make([]byte, at.length)
	if _, err := f.ReadAt(b, int64(at.offset)); err != nil {
		return nil, err
	}
	damage := func(what string) error { return &Damage{File: name, Offset: int64(at.offset), What: what} }
	if checksum(0, 0, b) != at.crc {
		return nil, damage("the event is not what was written")
	}
	event, err := parseEvent(b)
	ended, ok := event.(*Ended)
	if err != nil || !ok || ended.Run != run {
		return nil, damage(fmt.Sprintf("not the DONE of run %s", run))
	}
	return ended, nil
}

// Attempts walks over the closed attempts that are durable when it begins, in
// the order of their DONE, leaving out the first ones. Every frame is checked.
func (j *Journal) Attempts(leave int64) iter.Seq2[Attempt, error] {
	return func(yield func(Attempt, error) bool) {
		segments := j.durableSegments()
		w := walk{tree: j.tree, leave: leave, open: map[engine.RunID]*Started{}}
		for i, seg := range segments {
			if seg.done <= leave && i < len(segments)-1 {
				continue
			}
			if i > 0 && w.raw == nil {
				if err := w.begin(segments[i-1]); err != nil {
					yield(Attempt{}, err)
					return
				}
			}
			goOn, err := w.segment(seg, func(events []byte) (bool, error) { return w.attempts(events, yield) })
			if err != nil {
				yield(Attempt{}, err)
			}
			if err != nil || !goOn {
				return
			}
		}
	}
}

// durableSegments returns what of the journal is durable.
func (j *Journal) durableSegments() []segment {
	j.mu.Lock()
	defer j.mu.Unlock()
	return slices.Clone(j.segments)
}

// A walk reads segments one after the other.
type walk struct {
	tree  fsys.FS
	raw   []byte // of the present segment
	leave int64
	done  int64
	open  map[engine.RunID]*Started

	decoder exact.Decoder
}

// begin sets the walk to the end of a segment.
func (w *walk) begin(after segment) error {
	events, err := parseEvents(after.opens)
	for _, p := range events {
		if started, ok := p.event.(*Started); ok {
			w.open[started.Start.Run.ID] = started
		}
	}
	w.done = after.done
	return err
}

// segment visits the events of each frame of a segment, until a visit says that
// no more are wanted.
func (w *walk) segment(seg segment, visit func(events []byte) (bool, error)) (goOn bool, err error) {
	if w.raw, err = readSegment(w.tree, seg.number, w.raw, seg.end.Size); err != nil {
		return false, err
	}
	s := scan{b: w.raw, number: seg.number, n: seg.before.N, crc: seg.before.CRC}
	for {
		f, ok, err := s.next()
		if !ok || err != nil {
			return err == nil, err
		}
		goOn, err := visit(f.events)
		if err != nil {
			return false, s.damage(err)
		}
		if !goOn {
			return false, nil
		}
	}
}

// attempts yields the attempts that end in a frame.
func (w *walk) attempts(frame []byte, yield func(Attempt, error) bool) (goOn bool, err error) {
	events, err := readEvents(&w.decoder, frame)
	if err != nil {
		return false, err
	}
	for _, p := range events {
		if a, ok := w.pair(p.event); ok && !yield(a, nil) {
			return false, nil
		}
	}
	return true, nil
}

// pair returns the attempt that an event ends.
func (w *walk) pair(event Event) (Attempt, bool) {
	switch e := event.(type) {
	case *Started:
		w.open[e.Start.Run.ID] = e
	case *Ended:
		started := w.open[e.Run]
		delete(w.open, e.Run)
		w.done++
		return Attempt{w.done, started, e}, started != nil && w.done > w.leave
	}
	return Attempt{}, false
}
