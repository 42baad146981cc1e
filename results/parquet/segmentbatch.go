package parquet

import (
	"time"

	"mpf/results/columns"
)

// A Batch is some readings of a segment, column by column.
type Batch struct {
	rows  int
	cells cells
}

// Len returns the number of readings.
func (b *Batch) Len() int { return b.rows }

// Append appends the clocks of the readings and their numbers to a vector each:
// time, corrected by an offset, mono, took, cpus, then those that
// columns.ReadingColumns lists.
func (b *Batch) Append(to []*columns.Vector, offset time.Duration) (err error) {
	defer rescue("sample segment", &err)
	for i := range b.rows {
		to[0].AddTime(time.Unix(0, int64(b.cells.wall.Value(i))).Add(offset))
	}
	for c, clock := range b.cells.clocks[:2] {
		for i := range b.rows {
			to[1+c].AddFloat(time.Duration(clock.Value(i)).Seconds())
		}
	}
	b.appendCPUs(to[3])
	for n := range b.cells.numbers {
		b.appendNumber(to[4+n], n)
	}
	return nil
}

// appendCPUs adds a null where their number was not to be had.
func (b *Batch) appendCPUs(v *columns.Vector) {
	for _, n := range b.cells.clocks[2].Int64Values() {
		if n < 0 {
			v.AddNull()
		} else {
			v.AddInt(n)
		}
	}
}

func (b *Batch) appendNumber(v *columns.Vector, n int) {
	c := &b.cells
	known := c.numbers[n].NullN() == 0
	switch {
	case known && c.ints[n] != nil:
		v.AddInts(c.ints[n])
		return
	case known:
		v.AddFloats(c.floats[n])
		return
	}
	for i := range b.rows {
		switch {
		case c.numbers[n].IsNull(i):
			v.AddNull()
		case c.ints[n] != nil:
			v.AddInt(c.ints[n][i])
		default:
			v.AddFloat(c.floats[n][i])
		}
	}
}

// Extra returns the further readings of the i-th one, nil if it has none.
func (b *Batch) Extra(i int) (extra map[string]float64, err error) {
	defer rescue("sample segment", &err)
	return b.cells.extras(i)
}
