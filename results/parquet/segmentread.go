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
// size and hash before: a damaged stream may ask for any amount of memory. The
// reading that is yielded is filled anew for the next.
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
	var reading engine.Reading
	targets := targetsOf(&reading, numbers)
	for {
		batch, err := nextBatch(stream)
		if batch == nil || err != nil {
			return err
		}
		cells, err := cellsOf(batch, len(numbers))
		if err != nil {
			return err
		}
		for i := range int(batch.NumRows()) {
			if err := cells.fill(&reading, targets, i); err != nil {
				return err
			}
			if !yield(&reading) {
				return nil
			}
		}
	}
}

// A target is where a number of a reading goes.
type target struct {
	int   *int64
	float *float64
}

func targetsOf(r *engine.Reading, numbers []columns.ReadingColumn) []target {
	targets := make([]target, len(numbers))
	for i, n := range numbers {
		if n.Int != nil {
			targets[i].int = n.Int(r)
		} else {
			targets[i].float = n.Float(r)
		}
	}
	return targets
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

// cells are the columns of a batch.
type cells struct {
	wall    *array.Timestamp
	clocks  [3]*array.Int64 // mono, took, cpus
	numbers []arrow.Array
	ints    [][]int64 // or nil
	floats  [][]float64
	extra   *array.String
}

func cellsOf(batch arrow.Record, numbers int) (c cells, err error) {
	defer rescue("sample segment", &err)
	c = cells{wall: batch.Column(0).(*array.Timestamp), ints: make([][]int64, numbers), floats: make([][]float64, numbers)}
	for i := range c.clocks {
		c.clocks[i] = batch.Column(1 + i).(*array.Int64)
	}
	for i := range numbers {
		c.numbers = append(c.numbers, batch.Column(4+i))
		switch column := batch.Column(4 + i).(type) {
		case *array.Int64:
			c.ints[i] = column.Int64Values()
		case *array.Float64:
			c.floats[i] = column.Float64Values()
		}
	}
	c.extra = batch.Column(4 + numbers).(*array.String)
	return c, nil
}

// fill makes the i-th reading.
func (c *cells) fill(r *engine.Reading, targets []target, i int) (err error) {
	defer rescue("sample segment", &err)
	r.Wall = time.Unix(0, int64(c.wall.Value(i))).UTC()
	r.Mono, r.Took, r.CPUs = time.Duration(c.clocks[0].Value(i)), time.Duration(c.clocks[1].Value(i)), int(c.clocks[2].Value(i))
	for n, t := range targets {
		known := c.numbers[n].NullN() == 0 || c.numbers[n].IsValid(i)
		switch {
		case t.int != nil && known:
			*t.int = c.ints[n][i]
		case t.int != nil:
			*t.int = -1
		case known:
			*t.float = c.floats[n][i]
		default:
			*t.float = math.NaN()
		}
	}
	r.Extra = nil
	if c.extra.IsValid(i) {
		err = json.Unmarshal([]byte(c.extra.Value(i)), &r.Extra)
	}
	return err
}
