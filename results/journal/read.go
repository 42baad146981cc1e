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
		j.mu.Lock()
		segments := slices.Clone(j.segments)
		j.mu.Unlock()
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
			if goOn, err := w.segment(seg, yield); err != nil || !goOn {
				if err != nil {
					yield(Attempt{}, err)
				}
				return
			}
		}
	}
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

// segment yields the attempts that end in a segment; false where the caller
// wants no more.
func (w *walk) segment(seg segment, yield func(Attempt, error) bool) (goOn bool, err error) {
	if w.raw, err = readSegment(w.tree, seg.number, w.raw, seg.end.Size); err != nil {
		return false, err
	}
	s := scan{b: w.raw, number: seg.number, n: seg.before.N, crc: seg.before.CRC}
	for {
		f, ok, err := s.next()
		if !ok || err != nil {
			return err == nil, err
		}
		events, err := readEvents(&w.decoder, f.events)
		if err != nil {
			return false, s.damage(err)
		}
		for _, p := range events {
			a, ok := w.pair(p.event)
			if ok && !yield(a, nil) {
				return false, nil
			}
		}
	}
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
