package tables

import (
	"math"
	"time"

	"mpf/engine"
	"mpf/results/columns"
)

// A rowWriter fills the first columns of a row, one after the other. What it
// is given must follow the list by which the columns were made.
type rowWriter struct {
	shard   *shard
	columns []*column
}

func (s *store) row(p place) (*shard, rowWriter) {
	sh := s.begin(p)
	return sh, rowWriter{sh, s.columns}
}

// next returns the cell of the next column.
func (w *rowWriter) next() *columns.Vector {
	c := w.columns[0]
	w.columns = w.columns[1:]
	return w.shard.cell(c)
}

func (w *rowWriter) int(n int64)      { w.next().AddInt(n) }
func (w *rowWriter) float(f float64)  { w.next().AddFloat(f) }
func (w *rowWriter) bool(b bool)      { w.next().AddBool(b) }
func (w *rowWriter) time(t time.Time) { w.next().AddTime(t) }

// null leaves the next cell empty.
func (w *rowWriter) null() { w.columns = w.columns[1:] }

// text writes a text; the empty one is a null.
func (w *rowWriter) text(text string) {
	if text == "" {
		w.null()
		return
	}
	w.next().AddText(text)
}

// maybe writes a float; NaN is a null.
func (w *rowWriter) maybe(x float64) {
	if math.IsNaN(x) {
		w.null()
		return
	}
	w.next().AddFloat(x)
}

// positive writes a count; 0 is a null.
func (w *rowWriter) positive(n int) {
	if n == 0 {
		w.null()
		return
	}
	w.next().AddInt(int64(n))
}

// texts writes a list of texts; the empty one is a null.
func (w *rowWriter) texts(list []engine.Value) {
	if len(list) == 0 {
		w.null()
		return
	}
	w.next().Add(list)
}
