package parquet

import (
	"bytes"
	"fmt"
	"math"
	"reflect"
	"runtime"
	"testing"
	"time"

	"mpf/engine"
	"mpf/results/columns"
)

// reading is the i-th look at a made-up host.
func reading(i int) engine.Reading {
	r := engine.Reading{
		Wall: time.Unix(1_795_000_000, int64(i)*1e9).UTC(), Mono: time.Duration(i) * time.Second, Took: time.Millisecond, CPUs: 4,
	}
	for c, n := range columns.ReadingColumns() {
		if n.Int != nil {
			*n.Int(&r) = int64(i * c)
		} else {
			*n.Float(&r) = float64(i) / float64(c+1)
		}
	}
	r.DiskReadBytes = -1
	if i%2 == 0 {
		r.Extra = map[string]float64{"disk_percent:/data": 12.5}
	}
	return r
}

// putAll puts readings as fast as they are taken.
func putAll(s *Segment, n int) {
	for i := range n {
		s.Put(reading(i))
		for int64(i+1)-s.Taken() >= segmentQueue {
			runtime.Gosched()
		}
	}
}

func TestReadingsComeBack(t *testing.T) {
	for _, n := range []int{0, 1, 65, 3*segmentBatch + 1} {
		var out bytes.Buffer
		s, err := NewSegment(&out, "node1")
		if err != nil {
			t.Fatal(err)
		}
		putAll(s, n)
		rows, err := s.Close()
		if err != nil || rows != int64(n) || s.Dropped() != 0 {
			t.Fatalf("%d rows, %d dropped, %v; %d were put", rows, s.Dropped(), err, n)
		}
		if s.Written().Size != int64(out.Len()) {
			t.Errorf("%d bytes said, %d written", s.Written().Size, out.Len())
		}
		next := 0
		for r, err := range ReadSegment(&out) {
			if err != nil {
				t.Fatal(err)
			}
			if want := reading(next); !reflect.DeepEqual(*r, want) {
				t.Errorf("reading %d: %+v, want %+v", next, *r, want)
			}
			next++
		}
		if next != n {
			t.Errorf("%d readings came back of %d", next, n)
		}
	}
}

// A batch is written when it is full, and soon enough where readings are few.
func TestBatchesAreWrittenInTime(t *testing.T) {
	for period, want := range map[time.Duration]int{time.Second: 65, time.Millisecond: segmentBatch} {
		var out bytes.Buffer
		s, err := NewSegment(&out, "node1")
		if err != nil {
			t.Fatal(err)
		}
		for i := range 2 * want {
			s.Put(engine.Reading{Mono: time.Duration(i) * period})
			for int64(i+1)-s.Taken() >= segmentQueue {
				runtime.Gosched()
			}
		}
		if _, err := s.Close(); err != nil {
			t.Fatal(err)
		}
		for b, err := range ReadBatches(&out) {
			if err != nil || b.Len() != want {
				t.Errorf("every %s: a batch of %d readings, want %d; %v", period, b.Len(), want, err)
			}
		}
	}
}

func TestUnknownNumbersStayUnknown(t *testing.T) {
	var out bytes.Buffer
	s, err := NewSegment(&out, "node1")
	if err != nil {
		t.Fatal(err)
	}
	first := reading(0)
	first.CPUMean = math.NaN()
	first.Extra = map[string]float64{"gpu0": math.NaN()}
	s.Put(first)
	if _, err := s.Close(); err != nil {
		t.Fatal(err)
	}
	for r, err := range ReadSegment(&out) {
		if err != nil || !math.IsNaN(r.CPUMean) || r.DiskReadBytes != -1 || r.Extra != nil {
			t.Errorf("%+v, %v", r, err)
		}
	}
}

// A writer that stands still: Put must not wait for it.
func TestPutNeverWaits(t *testing.T) {
	release := make(chan struct{})
	s, err := NewSegment(writerFunc(func(p []byte) (int, error) { <-release; return len(p), nil }), "node1")
	if err != nil {
		t.Fatal(err)
	}
	const n = 10 * segmentQueue
	for i := range n {
		s.Put(reading(i))
	}
	close(release)
	rows, err := s.Close()
	if err != nil || s.Dropped() == 0 || rows+s.Dropped() != n {
		t.Errorf("%d rows and %d dropped of %d, %v", rows, s.Dropped(), n, err)
	}
	s.Put(reading(0))
	if rows+s.Dropped() != n+1 {
		t.Error("a reading after Close was not counted")
	}
}

type writerFunc func([]byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

func TestNoFailedWriteOfASegmentGoesUnseen(t *testing.T) {
	for _, kind := range []failing{{}, {forEver: true}, {silent: true}} {
		for writes := 0; ; writes++ {
			sink := kind
			sink.n = writes
			err := writeSegment(&sink)
			if sink.n >= 0 {
				if err != nil {
					t.Fatalf("clean pass: %v", err)
				}
				break
			}
			if err == nil {
				t.Errorf("write %d failed (%+v), and nothing was said", writes, kind)
			}
		}
	}
}

func writeSegment(w interface{ Write([]byte) (int, error) }) error {
	s, err := NewSegment(w, "node1")
	if err != nil {
		return err
	}
	const n = 100 // two batches
	putAll(s, n)
	rows, err := s.Close()
	if err == nil && rows != n {
		return fmt.Errorf("%d rows", rows)
	}
	return err
}

func BenchmarkSegmentOfAShortRun(b *testing.B) {
	for b.Loop() {
		var out bytes.Buffer
		s, err := NewSegment(&out, "node1")
		if err != nil {
			b.Fatal(err)
		}
		s.Put(reading(0))
		s.Put(reading(1))
		if _, err := s.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
