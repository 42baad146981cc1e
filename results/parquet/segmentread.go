package parquet

import (
	"encoding/json"
	"fmt"
	"io"
	"iter"
	"math"
	"time"

	"github.com/apache/arrow/go/v15/arrow"
	"github.com/apache/arrow/go/v15/arrow/array"
	"github.com/apache/arrow/go/v15/arrow/ipc"

	"mpf/engine"
	"mpf/results/columns"
)

// ReadSegment yields the readings of a segment. The caller has compared its
// size and hash before: a damaged stream may ask for any amount of memory.
func ReadSegment(r io.Reader) iter.Seq2[*engine.Reading, error] {
	return func(yield func(*engine.Reading, error) bool) {
		stopped := false
		err := readSegment(r, func(reading *engine.Reading) bool {
			stopped = !yield(reading, nil)
			return !stopped
		})
		if err != nil && !stopped {
			yield(nil, err)
		}
	}
}

func readSegment(r io.Reader, yield func(*engine.Reading) bool) error {
	numbers := columns.ReadingColumns()
	stream, err := openSegment(r, numbers)
	if err != nil {
		return err
	}
	for {
		batch, err := nextBatch(stream)
		if batch == nil || err != nil {
			return err
		}
		for i := range int(batch.NumRows()) {
			reading, err := readingAt(batch, i, numbers)
			if err != nil {
				return err
			}
			if !yield(reading) {
				return nil
			}
		}
	}
}

func openSegment(r io.Reader, numbers []columns.ReadingColumn) (stream *ipc.Reader, err error) {
	defer rescue("sample segment", &err)
	if stream, err = ipc.NewReader(r); err != nil {
		return nil, fmt.Errorf("not a sample segment: %w", err)
	}
	if have, want := stream.Schema(), segmentSchema(numbers, ""); !have.Equal(want) {
		return nil, fmt.Errorf("not a sample segment: it has other columns")
	}
	return stream, nil
}

// nextBatch returns nil at the end.
func nextBatch(stream *ipc.Reader) (batch arrow.Record, err error) {
	defer rescue("sample segment", &err)
	if !stream.Next() {
		return nil, stream.Err()
	}
	return stream.Record(), nil
}

func readingAt(batch arrow.Record, i int, numbers []columns.ReadingColumn) (r *engine.Reading, err error) {
	defer rescue("sample segment", &err)
	r = &engine.Reading{
		Wall: time.Unix(0, int64(batch.Column(0).(*array.Timestamp).Value(i))).UTC(),
		Mono: time.Duration(batch.Column(1).(*array.Int64).Value(i)),
		Took: time.Duration(batch.Column(2).(*array.Int64).Value(i)),
		CPUs: int(batch.Column(3).(*array.Int64).Value(i)),
	}
	for c, n := range numbers {
		switch column := batch.Column(4 + c).(type) {
		case *array.Int64:
			*n.Int(r) = -1
			if column.IsValid(i) {
				*n.Int(r) = column.Value(i)
			}
		case *array.Float64:
			*n.Float(r) = math.NaN()
			if column.IsValid(i) {
				*n.Float(r) = column.Value(i)
			}
		}
	}
	extra := batch.Column(4 + len(numbers)).(*array.String)
	if extra.IsValid(i) {
		err = json.Unmarshal([]byte(extra.Value(i)), &r.Extra)
	}
	return r, err
}
