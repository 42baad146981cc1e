package journal

import (
	"fmt"
	"reflect"
	"time"

	"mpf/engine"
	"mpf/results/record"
)

// Format is the version of frames and events.
const Format = 1

const (
	// MaxEvent is the most bytes that one event takes.
	MaxEvent = 256 << 10
	// MaxString is the most bytes of a text among the results of a run.
	MaxString = 64 << 10
)

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

// eventFields holds the fields of each kind of event.
var eventFields = map[string][]field{
	"OPEN":   fieldsOf(reflect.TypeFor[Opened]()),
	"PLAN":   fieldsOf(reflect.TypeFor[Planned]()),
	"INPUT":  fieldsOf(reflect.TypeFor[Kept]()),
	"START":  fieldsOf(reflect.TypeFor[Started]()),
	"DONE":   fieldsOf(reflect.TypeFor[Ended]()),
	"FENCE":  fieldsOf(reflect.TypeFor[Fenced]()),
	"DECIDE": fieldsOf(reflect.TypeFor[Decided]()),
	"DROP":   fieldsOf(reflect.TypeFor[Dropped]()),
	"CLOSE":  fieldsOf(reflect.TypeFor[Closed]()),
}

func newEvent(kind string) Event {
	switch kind {
	case "OPEN":
		return new(Opened)
	case "PLAN":
		return new(Planned)
	case "INPUT":
		return new(Kept)
	case "START":
		return new(Started)
	case "DONE":
		return new(Ended)
	case "FENCE":
		return new(Fenced)
	case "DECIDE":
		return new(Decided)
	case "DROP":
		return new(Dropped)
	case "CLOSE":
		return new(Closed)
	}
	return nil
}

// appendEvent appends an event's JSON.
func appendEvent(b []byte, event Event) ([]byte, error) {
	e := encoder{b: b}
	kind := event.kind()
	e.b = append(e.b, `{"event":"`...)
	e.b = append(append(e.b, kind...), '"')
	e.more = true
	putFields(&e, reflect.ValueOf(event).Elem(), eventFields[kind])
	e.end('}')
	if size := len(e.b) - len(b); e.err == nil && size > MaxEvent {
		e.err = fmt.Errorf("%s event of %d bytes, at most %d: %w", kind, size, MaxEvent, ErrTooLong)
	}
	return e.b, e.err
}

// event reads one event.
func (d *decoder) event() Event {
	if !d.literal(`{"event":`) {
		d.fail("expected an event")
		return nil
	}
	kind := string(d.text())
	event := newEvent(kind)
	if d.err != nil || event == nil {
		d.fail("unknown event %q", kind)
		return nil
	}
	getFields(d, reflect.ValueOf(event).Elem(), eventFields[kind], false)
	if d.err != nil {
		d.err = fmt.Errorf("%s event: %w", kind, d.err)
	}
	return event
}

// A placed is an event and its bytes' place in those of its frame.
type placed struct {
	event    Event
	from, to int
}

// parseEvents reads the events of a frame.
func parseEvents(b []byte) ([]placed, error) { return new(decoder).events(b) }

// events reads the events of a frame, after those of other frames.
func (d *decoder) events(b []byte) ([]placed, error) {
	*d = decoder{b: b, names: d.names, many: d.many}
	d.expect('[')
	var events []placed
	for d.another(']', len(events) == 0) {
		from := d.at
		event := d.event()
		events = append(events, placed{event, from, d.at})
	}
	if d.err == nil && d.at != len(b) {
		d.fail("bytes after the events")
	}
	return events, d.err
}

// parseEvent reads one event that stands alone.
func parseEvent(b []byte) (Event, error) {
	d := decoder{b: b}
	event := d.event()
	if d.err == nil && d.at != len(b) {
		d.fail("bytes after the event")
	}
	return event, d.err
}
