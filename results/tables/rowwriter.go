package tables

import (
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

// text writes a text; the empty one is a null.
func (w *rowWriter) text(text string) {
	if v := w.next(); text == "" {
		v.AddNull()
	} else {
		v.AddText(text)
	}
}

// texts writes a list of texts; the empty one is a null.
func (w *rowWriter) texts(list []engine.Value) {
	if v := w.next(); len(list) == 0 {
		v.AddNull()
	} else {
		v.Add(list)
	}
}
