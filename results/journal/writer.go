package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"sync"
	"time"

	"mpf/engine"
	"mpf/results/fsys"
)

const (
	// maxWindow is the longest that a frame waits for more events.
	maxWindow = 10 * time.Millisecond
	// shared is from how many events on a frame waits at all.
	shared = 8
)

// A batch is the events of the next frame.
type batch struct {
	opened *Opened // of the segment that it begins, or nil
	events []byte
	count  int
	ends   []ending
	sealed *seal // where the batch is the last of its segment
	learnt int   // reboots of the state at its end
	done   chan struct{}
	err    error // set before done is closed
}

// An ending is a DONE of a batch, whose place is known once it is written.
type ending struct {
	run      engine.RunID
	from, to int // within events
}

func (b *batch) add(event Event, text []byte) {
	if len(b.events) == 0 {
		b.events = append(b.events, '[')
	} else {
		b.events = append(b.events, ',')
	}
	b.count++
	from := len(b.events)
	b.events = append(b.events, text...)
	if ended, ok := event.(*Ended); ok {
		b.ends = append(b.ends, ending{ended.Run, from, len(b.events)})
	}
}

// A writer owns the file that grows. Only who has made the journal busy uses it.
type writer struct {
	journal *Journal
	file    fsys.File
	number  int       // of the last segment
	tail    Tail      // of the last segment
	sum     hash.Hash // of the last segment
	out     []byte
	count   int            // events of the last batch
	took    time.Duration  // to write it
	indexes sync.WaitGroup // of indexes being written
}

// loop writes batches until the journal closes.
func (w *writer) loop() {
	defer close(w.journal.stopped)
	for {
		b := w.take()
		if b == nil {
			break
		}
		w.commit(b)
	}
	w.end()
}

// take waits for the next batch that nobody else writes.
func (w *writer) take() *batch {
	j := w.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	for j.busy || !j.waiting() && !j.closing {
		j.work.Wait()
	}
	if !j.waiting() {
		return nil
	}
	j.busy = true
	w.gather()
	return w.pick()
}

// pick takes the next batch. What the state then holds is what will be durable
// once the batch is. The caller holds the lock and has made the journal busy.
func (w *writer) pick() *batch {
	j := w.journal
	b := j.next
	j.next = nil
	j.room.Broadcast()
	if j.err != nil {
		return b
	}
	size := w.tail.Size
	if b.opened != nil {
		size = 0
	}
	if size+int64(len(b.events)) >= maxSegment {
		b.sealed, b.err = j.state.seal()
		j.fresh = true
	}
	return b
}

// commit writes a batch and tells everybody who waits for it.
func (w *writer) commit(b *batch) {
	begun, began := w.number, time.Now()
	start, err := w.write(b)
	took := time.Since(began)
	j := w.journal
	j.mu.Lock()
	defer j.mu.Unlock()
	w.count, w.took = b.count, took
	w.finish(b, begun != w.number, start, err)
	j.busy = false
	if j.waiting() || j.closing {
		j.work.Signal()
	}
}

// gather waits a little for those who were woken by the frame before and will
// bring something again: no longer than that frame took, and not at all where
// few share a frame. The caller holds the lock.
func (w *writer) gather() {
	j := w.journal
	j.want = w.count * 3 / 4
	if j.want < shared {
		return
	}
	due := false
	timer := time.AfterFunc(min(w.took, maxWindow), func() {
		j.mu.Lock()
		defer j.mu.Unlock()
		due = true
		j.work.Signal()
	})
	defer timer.Stop()
	for !due && !j.closing && j.err == nil && j.next.count < j.want {
		j.work.Wait()
	}
}

// write makes a batch durable and returns where its events start in the file.
func (w *writer) write(b *batch) (start int64, err error) {
	if err := errors.Join(w.journal.Err(), b.err); err != nil {
		return 0, err
	}
	if b.opened != nil {
		if err := w.begin(b.opened); err != nil {
			return 0, err
		}
	}
	return w.frame(append(b.events, ']'))
}

// begin begins a segment with its OPEN.
func (w *writer) begin(opened *Opened) error {
	if w.file != nil {
		if err := w.file.Close(); err != nil {
			return err
		}
		w.file = nil
	}
	if err := fsys.MakeDir(w.journal.tree, Dir); err != nil {
		return err
	}
	opened.Previous = w.tail
	text, err := appendEvents(nil, []Event{opened})
	if err != nil {
		return err
	}
	if w.file, err = fsys.Create(w.journal.tree, segmentName(w.number+1)); err != nil {
		return err
	}
	w.number++
	w.tail.Size, w.sum = 0, sha256.New()
	if _, err := w.frame(text); err != nil {
		return err
	}
	return w.journal.tree.SyncDir(Dir)
}

// frame appends a frame and makes it durable.
func (w *writer) frame(events []byte) (start int64, err error) {
	out, crc, at := appendFrame(w.out[:0], w.tail.N+1, w.tail.CRC, events)
	w.out = out
	if _, err := w.file.Write(out); err != nil {
		return 0, err
	}
	if err := w.file.Sync(); err != nil {
		return 0, err
	}
	if err := w.journal.tree.Check(); err != nil {
		return 0, err
	}
	w.sum.Write(out)
	start = w.tail.Size + int64(at)
	w.tail = Tail{Size: w.tail.Size + int64(len(out)), N: w.tail.N + 1, CRC: crc}
	return start, nil
}

// finish tells everybody who waits for a batch. The caller holds the lock.
func (w *writer) finish(b *batch, begun bool, start int64, err error) {
	j := w.journal
	defer close(b.done)
	if err != nil {
		b.err = j.poison(err)
		return
	}
	for _, e := range b.ends {
		r := j.state.rows.get(e.run)
		r.at = placeOf(w.number, int(start), placed{from: e.from, to: e.to}, b.events)
		j.state.rows.set(r)
	}
	j.spare = b.events[:0]
	if b.sealed != nil {
		b.sealed.sha256 = w.hash()
	}
	last := w.publish(b, begun)
	if b.sealed != nil {
		w.index(b, last)
	}
}

// publish moves the end of what is durable.
func (w *writer) publish(b *batch, begun bool) segment {
	j := w.journal
	if begun {
		next := segment{number: w.number, before: j.durable()}
		if len(j.segments) > 0 {
			next.done = j.segments[len(j.segments)-1].done
		}
		j.segments = append(j.segments, next)
	}
	last := &j.segments[len(j.segments)-1]
	last.end = w.tail
	last.done += int64(len(b.ends))
	j.reboots = b.learnt
	if b.sealed != nil {
		last.seal(b.sealed)
	}
	return *last
}

// hash returns the hash of the last segment.
func (w *writer) hash() string { return hex.EncodeToString(w.sum.Sum(nil)) }

// index writes the index of a segment that is full, meanwhile.
func (w *writer) index(b *batch, seg segment) {
	places := map[engine.RunID]place{}
	for _, e := range b.ends {
		places[e.run] = w.journal.state.rows.get(e.run).at
	}
	for i, r := range b.sealed.rows {
		if at, ok := places[r.run]; ok {
			b.sealed.rows[i].at = at
		}
	}
	w.indexes.Go(func() { w.writeIndex(seg, b.sealed) })
}

func (w *writer) writeIndex(seg segment, s *seal) {
	if err := writeIndex(w.journal.tree, seg, s); err != nil {
		w.journal.Poison(err)
	}
}

// end closes the file, and makes its index where that is worth it.
func (w *writer) end() {
	w.indexes.Wait()
	if w.file == nil {
		return
	}
	j := w.journal
	if err := w.file.Close(); err != nil {
		j.Poison(err)
	}
	j.mu.Lock()
	defer j.mu.Unlock()
	if j.err != nil || j.fresh || w.tail.Size < minIndexed && !j.state.learnt {
		return
	}
	last := &j.segments[len(j.segments)-1]
	s, err := j.state.seal()
	if err == nil {
		s.sha256 = w.hash()
		last.seal(s)
		err = writeIndex(j.tree, *last, s)
	}
	if err != nil {
		j.poison(err)
	}
}
