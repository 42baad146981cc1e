package journal

import (
	"fmt"
	"time"

	"mpf/engine"
	"mpf/results/exact"
	"mpf/results/record"
)

// Format is the version of frames and events.
const Format = 1

// MaxEvent is the most bytes that one event takes.
const MaxEvent = 256 << 10

// An Event is one of the types below, by pointer.
type Event interface{ kind() string }

// Opened begins each segment.
type Opened struct {
	Format     int
	MPF        string
	Durability string // "strict" or "os"
	Invocation int
	Wall       time.Time
	Previous   Tail   // of the segment before; zero in the first
	Torn       string // file that keeps the bytes cut off the segment before, or empty
}

// A Tail is the end of a segment.
type Tail struct {
	Size int64
	N    uint64
	CRC  uint32
}

// Planned says which plan the attempts that follow belong to.
type Planned struct {
	Plan   int
	File   string
	SHA256 string
	Reason string
}

// Kept names a file that the campaign keeps beside its runs.
type Kept struct{ File record.File }

// Started begins an attempt. Adopted says that it was made elsewhere, where its
// run may have had attempts before it.
type Started struct {
	Plan       int
	Invocation int
	Start      engine.Start
	Adopted    bool
}

// Ended closes an attempt. Where that is too long for an event, Spilled is the
// file of the attempt's folder that holds it whole.
type Ended struct {
	Run     engine.RunID
	Attempt int
	Nonce   string
	Done    engine.Done
	Files   []record.File
	Spilled *record.File
}

// Dropped says that the sample segments of all attempts so far are gone: a
// table, verified before, holds what they held.
type Dropped struct{ Table record.File }

// Fenced says that an attempt is over on a host.
type Fenced struct {
	Run     engine.RunID
	Attempt int
	Host    string
	Fenced  engine.Fenced
}

// Decided is a decision about the design.
type Decided struct{ Decision engine.Decision }

// Closed is the last event of an invocation that ended cleanly. Complete says
// that the design has no run left to do.
type Closed struct {
	Wall     time.Time
	Complete bool
}

func (*Opened) kind() string  { return "OPEN" }
func (*Planned) kind() string { return "PLAN" }
func (*Kept) kind() string    { return "INPUT" }
func (*Started) kind() string { return "START" }
func (*Ended) kind() string   { return "DONE" }
func (*Fenced) kind() string  { return "FENCE" }
func (*Decided) kind() string { return "DECIDE" }
func (*Dropped) kind() string { return "DROP" }
func (*Closed) kind() string  { return "CLOSE" }

// A shape is how the events of a kind are written.
type shape struct {
	form *exact.Struct
	head string // the member that says the kind
	make func() Event
}

func shapeOf[T any, E interface {
	*T
	Event
}]() shape {
	var zero E
	return shape{exact.StructOf[T](), `"event":"` + zero.kind() + `"`, func() Event { return E(new(T)) }}
}

// shapes holds the shape of each kind of event.
var shapes = map[string]shape{
	"OPEN":   shapeOf[Opened](),
	"PLAN":   shapeOf[Planned](),
	"INPUT":  shapeOf[Kept](),
	"START":  shapeOf[Started](),
	"DONE":   shapeOf[Ended](),
	"FENCE":  shapeOf[Fenced](),
	"DECIDE": shapeOf[Decided](),
	"DROP":   shapeOf[Dropped](),
	"CLOSE":  shapeOf[Closed](),
}

// appendEvent appends an event's JSON.
func appendEvent(b []byte, event Event) ([]byte, error) {
	before := len(b)
	s := shapes[event.kind()]
	b, err := s.form.Append(b, s.head, event)
	if size := len(b) - before; err == nil && size > MaxEvent {
		err = fmt.Errorf("%s event of %d bytes, at most %d: %w", event.kind(), size, MaxEvent, ErrTooLong)
	}
	return b, err
}

// appendEvents appends a list of events.
func appendEvents(b []byte, events []Event) ([]byte, error) {
	b = append(b, '[')
	for i, event := range events {
		if i > 0 {
			b = append(b, ',')
		}
		var err error
		if b, err = appendEvent(b, event); err != nil {
			return nil, err
		}
	}
	return append(b, ']'), nil
}

// readEvent reads one event, nil where there is none.
func readEvent(d *exact.Decoder) Event {
	if !d.Literal(`{"event":`) {
		d.Fail("expected an event")
		return nil
	}
	kind := string(d.Text())
	s, ok := shapes[kind]
	if !ok {
		d.Fail("unknown event %q", kind)
		return nil
	}
	event := s.make()
	d.Members(s.form, event)
	return event
}

// A placed is an event and its bytes' place in those of its frame.
type placed struct {
	event    Event
	from, to int
}

// parseEvents reads the events of a frame.
func parseEvents(b []byte) ([]placed, error) { return readEvents(new(exact.Decoder), b) }

// readEvents reads the events of a frame after those of other frames.
func readEvents(d *exact.Decoder, b []byte) ([]placed, error) {
	d.Reset(b)
	d.Expect('[')
	var events []placed
	for d.Another(']', len(events) == 0) {
		from := d.At()
		event := readEvent(d)
		events = append(events, placed{event, from, d.At()})
	}
	return events, d.End()
}

// parseEvent reads one event that stands alone.
func parseEvent(b []byte) (Event, error) {
	d := new(exact.Decoder)
	d.Reset(b)
	event := readEvent(d)
	return event, d.End()
}
