package parquet

import (
	"encoding/json"
	"io"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"
	"github.com/apache/arrow/go/v15/arrow/memory"

	"mpf/engine"
	"mpf/results/columns"
)

const (
	segmentQueue = 256              // readings that wait to be written
	segmentBatch = 512              // readings of a record batch, unless
	segmentSpan  = 64 * time.Second // so much time lies between its first and its last
)

// A Segment writes the readings of one host during one attempt as an Arrow
// stream. It is an engine.ReadingSink: Put never waits. A reading that finds
// the queue full is dropped and counted.
type Segment struct {
	queue   chan engine.Reading
	done    chan struct{}
	dropped atomic.Int64
	taken   atomic.Int64
	mu      sync.Mutex // of closed, so that nothing is put into a closed queue
	closed  bool

	// of the writing goroutine until done is closed
	sink    *sink
	stream  *ipc.Writer
	builder *array.RecordBuilder
	numbers []columns.ReadingColumn
	rows    int64
	pending int
	first   time.Duration // of the pending, by the monotonic clock
	err     error
}

// NewSegment begins a segment; host is kept in its metadata. The stream is
// whole once Close has returned without an error.
func NewSegment(w io.Writer, host string) (*Segment, error) {
	s, err := newSegment(w, host)
	if err != nil {
		return nil, err
	}
	go s.write()
	return s, nil
}

func newSegment(w io.Writer, host string) (s *Segment, err error) {
	defer rescue("sample segment", &err)
	s = &Segment{
		queue:   make(chan engine.Reading, segmentQueue),
		done:    make(chan struct{}),
		sink:    newSink(w),
		numbers: columns.ReadingColumns(),
	}
	schema := segmentSchema(s.numbers, host)
	s.stream = ipc.NewWriter(s.sink, ipc.WithSchema(schema))
	s.builder = array.NewRecordBuilder(memory.NewGoAllocator(), schema)
	return s, nil
}

func segmentSchema(numbers []columns.ReadingColumn, host string) *arrow.Schema {
	fields := []arrow.Field{
		{Name: "wall", Type: arrow.FixedWidthTypes.Timestamp_ns},
		{Name: "mono", Type: arrow.PrimitiveTypes.Int64},
		{Name: "took", Type: arrow.PrimitiveTypes.Int64},
		{Name: "cpus", Type: arrow.PrimitiveTypes.Int64},
	}
	for _, n := range numbers {
		var t arrow.DataType = arrow.PrimitiveTypes.Float64
		if n.Int != nil {
			t = arrow.PrimitiveTypes.Int64
		}
		fields = append(fields, arrow.Field{Name: n.Name, Type: t, Nullable: true})
	}
	fields = append(fields, arrow.Field{Name: "extra", Type: arrow.BinaryTypes.String, Nullable: true})
	meta := arrow.NewMetadata([]string{"format", "host"}, []string{"mpf-samples-1", host})
	return arrow.NewSchema(fields, &meta)
}

// Put takes a reading. After Close it is dropped.
func (s *Segment) Put(r engine.Reading) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.closed {
		s.dropped.Add(1)
		return
	}
	select {
	case s.queue <- r:
	default:
		s.dropped.Add(1)
	}
}

// Dropped returns how many readings were not written.
func (s *Segment) Dropped() int64 { return s.dropped.Load() }

// Taken returns how many readings came out of the queue.
func (s *Segment) Taken() int64 { return s.taken.Load() }

// Close waits until what was put is written, ends the stream and returns its
// rows. It does not close the writer underneath.
func (s *Segment) Close() (int64, error) {
	s.mu.Lock()
	if !s.closed {
		s.closed = true
		close(s.queue)
	}
	s.mu.Unlock()
	<-s.done
	return s.rows, s.err
}

// Written says what the closed stream is.
func (s *Segment) Written() Written {
	<-s.done
	return s.sink.written(s.rows)
}

func (s *Segment) write() {
	defer close(s.done)
	for r := range s.queue {
		s.taken.Add(1)
		if s.err != nil {
			s.dropped.Add(1)
			continue
		}
		s.err = s.add(&r)
	}
	if err := s.end(); s.err == nil {
		s.err = err
	}
}

func (s *Segment) add(r *engine.Reading) (err error) {
	defer rescue("sample segment", &err)
	s.builder.Field(0).(*array.TimestampBuilder).Append(arrow.Timestamp(r.Wall.UnixNano()))
	for i, n := range []int64{int64(r.Mono), int64(r.Took), int64(r.CPUs)} {
		s.builder.Field(1 + i).(*array.Int64Builder).Append(n)
	}
	for i, n := range s.numbers {
		appendNumber(s.builder.Field(4+i), n, r)
	}
	extra := s.builder.Field(4 + len(s.numbers)).(*array.StringBuilder)
	if text := extraText(r.Extra); text != "" {
		extra.Append(text)
	} else {
		extra.AppendNull()
	}
	if s.pending++; s.pending == 1 {
		s.first = r.Mono
	}
	if s.pending < segmentBatch && r.Mono-s.first < segmentSpan {
		return nil
	}
	return s.flush()
}

func appendNumber(b array.Builder, n columns.ReadingColumn, r *engine.Reading) {
	switch {
	case n.Int != nil && *n.Int(r) >= 0:
		b.(*array.Int64Builder).Append(*n.Int(r))
	case n.Float != nil && !math.IsNaN(*n.Float(r)):
		b.(*array.Float64Builder).Append(*n.Float(r))
	default:
		b.AppendNull()
	}
}

func extraText(extra map[string]float64) string {
	known := make(map[string]float64, len(extra))
	for name, x := range extra {
		if !math.IsNaN(x) && !math.IsInf(x, 0) {
			known[name] = x
		}
	}
	if len(known) == 0 {
		return ""
	}
	text, err := json.Marshal(known)
	if err != nil {
		return ""
	}
	return string(text)
}

func (s *Segment) flush() error {
	if s.pending == 0 {
		return nil
	}
	batch := s.builder.NewRecord()
	defer batch.Release()
	if err := s.stream.Write(batch); err != nil {
		return err
	}
	s.rows += int64(s.pending)
	s.pending = 0
	return s.sink.err
}

// end writes what waits and the end of the stream. The library is not trusted
// with the sink's error.
func (s *Segment) end() (err error) {
	defer rescue("sample segment", &err)
	if s.err == nil {
		if err := s.flush(); err != nil {
			return err
		}
	}
	if err := s.stream.Close(); err != nil {
		return err
	}
	return s.sink.err
}
