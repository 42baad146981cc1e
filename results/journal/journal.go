package journal

import (
	"errors"
	"fmt"
	"iter"
	"sync"
	"time"

	"mpf/results/fsys"
)

// A Config says who writes a journal.
type Config struct {
	MPF        string // version
	Durability string // recorded; what it means the tree knows
	Now        func() time.Time
}

// A Journal commits events. Its methods may be called from several goroutines.
type Journal struct {
	tree   fsys.FS
	config Config
	torn   string    // file of the bytes that recovery cut off
	texts  sync.Pool // of *[]byte, for events

	writer *writer // used by whoever has made the journal busy

	mu       sync.Mutex
	work     sync.Cond // there is a batch to write and nobody is busy, or closing
	busy     bool      // a batch is being written
	room     sync.Cond // the batch was taken, or err
	state    *state    // of what is durable and of the next batch
	next     *batch
	want     int    // events that the writer waits for
	spare    []byte // for the events of the next batch
	fresh    bool   // the next batch begins a segment
	began    bool   // this invocation has begun one
	closing  bool
	err      error     // sticky
	segments []segment // what is durable
	reboots  int       // of the state's, those that are durable
	stopped  chan struct{}
}

// Open recovers the journal of a tree, whose lock the caller holds. Nothing is
// written for this invocation until its first commit.
func Open(tree fsys.FS, config Config) (*Journal, error) {
	l := loader{tree: tree, write: true}
	if err := l.load(); err != nil {
		return nil, err
	}
	torn, err := l.recover()
	if err != nil {
		return nil, err
	}
	j := newJournal(tree, &l)
	j.config, j.torn, j.fresh = config, torn, true
	j.state.invocation++
	j.state.beginSegment()
	j.writer = &writer{journal: j, tail: l.end(), number: len(l.segments)}
	go j.writer.loop()
	return j, nil
}

// Read loads the journal of a tree that somebody else may be writing. Commits
// are refused.
func Read(tree fsys.FS) (*Journal, error) {
	l := loader{tree: tree}
	if err := l.load(); err != nil {
		return nil, err
	}
	j := newJournal(tree, &l)
	j.err = ErrClosed
	close(j.stopped)
	return j, nil
}

func newJournal(tree fsys.FS, l *loader) *Journal {
	j := &Journal{tree: tree, state: l.state, segments: l.segments, reboots: len(l.state.reboots), stopped: make(chan struct{})}
	j.work.L, j.room.L = &j.mu, &j.mu
	return j
}

// Commit makes an event durable. It does not return before. Where nobody else is
// writing it writes itself: to wake somebody else for it would take longer than
// the rest of the work.
func (j *Journal) Commit(event Event) error {
	room, _ := j.texts.Get().(*[]byte)
	if room == nil {
		room = &[]byte{}
	}
	text, err := appendEvent((*room)[:0], event)
	if err != nil {
		return err
	}
	b, mine, err := j.enqueue(event, text, true)
	*room = text
	j.texts.Put(room) // the batch has a copy
	if err != nil {
		return err
	}
	if mine {
		j.writer.commit(b)
	}
	<-b.done
	return b.err
}

// CommitAll makes many events durable, in their order. What is too long is
// shortened first. It stops at the first error, its own or one of the events'.
func (j *Journal) CommitAll(events iter.Seq2[Event, error], shorten func(Event) (Event, error)) error {
	var last *batch
	for event, err := range events {
		if err != nil {
			return err
		}
		text, err := appendEvent(make([]byte, 0, 1024), event)
		if errors.Is(err, ErrTooLong) {
			if event, err = shorten(event); err == nil {
				text, err = appendEvent(nil, event)
			}
		}
		if err != nil {
			return err
		}
		if last, _, err = j.enqueue(event, text, false); err != nil {
			return err
		}
	}
	if last == nil {
		return nil
	}
	<-last.done
	return last.err
}

// enqueue adds an event to the next batch. The batch is the caller's to write,
// if it is willing, where nobody is busy and few share a frame.
func (j *Journal) enqueue(event Event, text []byte, willing bool) (b *batch, mine bool, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.err == nil && j.next != nil && len(j.next.events)+len(text)+2 > MaxFrame {
		j.room.Wait()
	}
	switch {
	case j.err != nil:
		return nil, false, j.err
	case j.closing:
		return nil, false, ErrClosed
	}
	if err := j.beginBatch(); err != nil {
		return nil, false, err
	}
	if err := j.state.apply(event, place{}); err != nil {
		return nil, false, fmt.Errorf("the record refuses %w", err)
	}
	b = j.next
	b.add(event, text)
	b.learnt = len(j.state.reboots)
	switch first := b.count == 1; {
	case first && willing && !j.busy && j.writer.count < shared:
		j.busy = true
		j.writer.pick()
		return b, true, nil
	case first && !j.busy, b.count == j.want:
		j.work.Signal()
	}
	return b, false, nil
}

// waiting reports whether events wait to be written. The caller holds the lock.
func (j *Journal) waiting() bool { return j.next != nil && j.next.count > 0 }

// beginBatch makes sure that there is a batch, and of a new segment its OPEN.
func (j *Journal) beginBatch() error {
	if j.next == nil {
		j.next = &batch{events: j.spare, done: make(chan struct{})}
		j.spare = nil
	}
	if !j.fresh {
		return nil
	}
	j.fresh = false
	j.next.opened = &Opened{
		Format: Format, MPF: j.config.MPF, Durability: j.config.Durability,
		Invocation: j.state.invocation, Wall: j.config.Now(),
	}
	if !j.began {
		j.next.opened.Torn = j.torn
	}
	j.began = true
	return j.state.apply(j.next.opened, place{})
}

// Close waits for what is being committed and ends the writing. It returns the
// error that ended it before, if any.
func (j *Journal) Close() error {
	j.mu.Lock()
	j.closing = true
	j.work.Signal()
	j.mu.Unlock()
	<-j.stopped
	j.mu.Lock()
	defer j.mu.Unlock()
	if errors.Is(j.err, ErrClosed) {
		return nil
	}
	return j.err
}

// Torn returns the file in which recovery set aside what a crash had cut, or "".
func (j *Journal) Torn() string { return j.torn }

// Err returns the error that ended the writing, or nil.
func (j *Journal) Err() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// Invocation returns the number of the present invocation, or of the last one.
func (j *Journal) Invocation() int {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.state.invocation
}

// Poison ends the writing because of an error of storage elsewhere.
func (j *Journal) Poison(err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.poison(err)
}

// poison keeps the first error. The caller holds the lock.
func (j *Journal) poison(err error) error {
	if j.err == nil {
		j.err = &StorageError{N: j.durable().N, Err: err}
		j.room.Broadcast()
	}
	return j.err
}

// durable returns the end of what is durable. The caller holds the lock.
func (j *Journal) durable() Tail {
	if len(j.segments) == 0 {
		return Tail{}
	}
	return j.segments[len(j.segments)-1].end
}
