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
		var reading engine.Reading
		targets := targetsOf(&reading, columns.ReadingColumns())
		for batch, err := range ReadBatches(r) {
			if err != nil {
				yield(nil, err)
				return
			}
			for i := range batch.Len() {
				if err := batch.cells.fill(&reading, targets, i); err != nil {
					yield(nil, err)
					return
				}
				if !yield(&reading, nil) {
					return
				}
			}
		}
	}
}

// ReadBatches yields the readings of a segment, many at once, as ReadSegment
// does. A batch is there until the next one is asked for.
func ReadBatches(r io.Reader) iter.Seq2[*Batch, error] {
	return func(yield func(*Batch, error) bool) {
		numbers := columns.ReadingColumns()
		stream, err := openSegment(r, numbers)
		if err != nil {
			yield(nil, err)
			return
		}
		for {
			b, err := nextBatch(stream, len(numbers))
			if b == nil && err == nil || !yield(b, err) || err != nil {
				return
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
	if stream, err = ipc.NewReader(r, ipc.WithAllocator(&recycler{})); err != nil {
		return nil, fmt.Errorf("not a sample segment: %w", err)
	}
	if have, want := stream.Schema(), segmentSchema(numbers, ""); !have.Equal(want) {
		return nil, fmt.Errorf("not a sample segment: it has other columns")
	}
	return stream, nil
}

// nextBatch returns nil at the end.
func nextBatch(stream *ipc.Reader, numbers int) (b *Batch, err error) {
	defer rescue("sample segment", &err)
	if !stream.Next() {
		return nil, stream.Err()
	}
	cells, err := cellsOf(stream.Record(), numbers)
	if err != nil {
		return nil, err
	}
	return &Batch{rows: int(stream.Record().NumRows()), cells: cells}, nil
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
	r.Extra, err = c.extras(i)
	return err
}

func (c *cells) extras(i int) (extras map[string]float64, err error) {
	if c.extra.IsValid(i) {
		err = json.Unmarshal([]byte(c.extra.Value(i)), &extras)
	}
	return extras, err
}
