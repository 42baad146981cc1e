package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"

	"mpf/results/fsys"
)

// minIndexed is the size below which a segment is not worth an index.
const minIndexed = 64 << 10

// loader reads a journal into a state.
type loader struct {
	tree     fsys.FS
	state    *state
	segments []segment
	rows     [][]byte // of indexes, not yet in the state
	buffer   []byte   // of segments
	torn     []byte   // bytes after the last good frame of the last segment
	scanned  bool     // the last segment was, so its good bytes are in buffer
	write    bool     // indexes that are missing are made
	doubt    bool     // indexes are not trusted
}

// load reads all segments. It returns a Damage where they cannot be trusted.
func (l *loader) load() error {
	l.state = newState()
	count, err := countSegments(l.tree)
	if err != nil {
		return err
	}
	for number := 1; number <= count; number++ {
		if err := l.add(number, number == count); err != nil {
			return err
		}
	}
	l.addRows()
	return nil
}

func (l *loader) end() Tail {
	if len(l.segments) == 0 {
		return Tail{}
	}
	return l.segments[len(l.segments)-1].end
}

func (l *loader) add(number int, last bool) error {
	l.state.beginSegment()
	if !l.doubt {
		if x, ok := readIndex(l.tree, number, l.end()); ok {
			return l.addIndex(x)
		}
	}
	l.addRows()
	return l.addScan(number, last)
}

// addIndex adds a segment by its index.
func (l *loader) addIndex(x index) error {
	for _, p := range x.notable {
		if fenced, ok := p.event.(*Fenced); ok { // its row is not there yet
			l.state.learn(fenced)
			continue
		}
		if err := l.state.apply(p.event, place{}); err != nil {
			return &Damage{File: indexName(x.header.Segment), What: err.Error()}
		}
	}
	if err := l.state.reopen(x.opens); err != nil {
		return &Damage{File: indexName(x.header.Segment), What: err.Error()}
	}
	if err := l.state.over.read(x.over); err != nil {
		return &Damage{File: indexName(x.header.Segment), What: err.Error()}
	}
	l.rows = append(l.rows, x.rows)
	l.state.done, l.state.counts = x.header.Done, x.header.Counts
	l.segments = append(l.segments, segment{
		number: x.header.Segment, before: x.header.Before, end: x.header.End, done: x.header.Done, opens: x.openText,
		left: x.header.Left, sha256: x.header.SHA256,
	})
	l.scanned = false
	return nil
}

// addRows moves the rows of indexes into the state.
func (l *loader) addRows() {
	if len(l.rows) == 0 {
		return
	}
	l.state.rows.add(l.rows)
	l.rows = nil
}

// addScan adds a segment by its frames. Only the last may have a torn end.
func (l *loader) addScan(number int, last bool) error {
	b, err := readSegment(l.tree, number, l.buffer, -1)
	if err != nil {
		return err
	}
	l.buffer, l.scanned = b, true
	seg := segment{number: number, before: l.end()}
	s := scan{b: b, number: number, n: seg.before.N, crc: seg.before.CRC}
	if err := l.applyFrames(&s, seg.before); err != nil {
		if !last {
			return err
		}
		if err := s.tornOnly(err); err != nil {
			return err
		}
		l.torn = b[s.at:]
	}
	seg.end, seg.done = s.tail(), l.state.done
	if seg.opens, err = appendEvents(nil, l.state.openEvents()); err != nil {
		return err
	}
	l.segments = append(l.segments, seg)
	if l.write && !last {
		return l.writeIndex()
	}
	return nil
}

// writeIndex writes the index of the last segment, which was scanned.
func (l *loader) writeIndex() error {
	seg := &l.segments[len(l.segments)-1]
	if seg.end.Size < minIndexed {
		return nil
	}
	sealed, err := l.state.seal()
	if err != nil {
		return err
	}
	sum := sha256.Sum256(l.buffer[:seg.end.Size])
	sealed.sha256 = hex.EncodeToString(sum[:])
	seg.seal(sealed)
	return writeIndex(l.tree, *seg, sealed)
}

// brokenRule is damage in a frame whose checksum is right.
type brokenRule struct{ *Damage }

func (b brokenRule) Unwrap() error { return b.Damage }

// applyFrames applies the events of all frames to the state.
func (l *loader) applyFrames(s *scan, before Tail) error {
	for first := true; ; first = false {
		from := *s
		f, ok, err := s.next()
		if !ok || err != nil {
			return err
		}
		events, err := parseEvents(f.events)
		if err == nil {
			err = l.applyFrame(s.number, f, events, first, before)
		}
		if err != nil {
			*s = from
			return brokenRule{s.damage(err).(*Damage)}
		}
	}
}

func (l *loader) applyFrame(number int, f frame, events []placed, first bool, before Tail) error {
	for i, p := range events {
		opened, isOpen := p.event.(*Opened)
		if beginning := first && i == 0; beginning != isOpen {
			return fmt.Errorf("%s where a segment begins or goes on", p.event.kind())
		}
		if isOpen && opened.Previous != before {
			return errors.New("the segment before it is not as it was left")
		}
		if err := l.state.apply(p.event, placeOf(number, f.start, p, f.events)); err != nil {
			return err
		}
	}
	return nil
}

// placeOf returns where an event lies whose frame's events start at an offset.
func placeOf(number, start int, p placed, events []byte) place {
	return place{
		segment: uint32(number), offset: uint32(start + p.from), length: uint32(p.to - p.from),
		crc: checksum(0, 0, events[p.from:p.to]),
	}
}

// tornOnly returns nil if the bytes from the bad frame on can be the rest of
// one write that a crash cut.
func (s *scan) tornOnly(bad error) error {
	var rule brokenRule
	if errors.As(bad, &rule) {
		return rule.Damage
	}
	var damage *Damage
	if !errors.As(bad, &damage) {
		return bad
	}
	rest := s.b[s.at:]
	if len(rest) > MaxFrame+maxHeader {
		return s.damage(fmt.Errorf("%d bytes follow, more than one write", len(rest)))
	}
	if at := findFrame(rest); at >= 0 {
		return s.damage(fmt.Errorf("%s, but a whole frame follows at offset %d", damage.What, s.at+at))
	}
	return nil
}

// recover makes the last segment fit to be followed by another. Its good bytes
// are copied, never truncated: after a failed sync they may be in memory only, a
// clean end among them. One that has an index was whole and durable when that was
// made. It returns the name of the file that keeps the bytes that were cut off.
func (l *loader) recover() (torn string, err error) {
	if !l.scanned {
		return "", nil
	}
	seg := l.segments[len(l.segments)-1]
	if len(l.torn) > 0 {
		torn = seg.name() + ".torn-1"
		if err := fsys.WriteFile(l.tree, torn, l.torn); err != nil {
			return "", err
		}
	}
	good := l.buffer[:seg.end.Size]
	if err := fsys.Replace(l.tree, seg.name(), func(w io.Writer) error {
		_, err := w.Write(good)
		return err
	}); err != nil {
		return "", err
	}
	return torn, l.writeIndex()
}
