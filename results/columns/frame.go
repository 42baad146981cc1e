package columns

import (
	"strings"

	"mpf/engine"
)

// A Frame is a table in memory: a vector for each column, all equally long.
type Frame struct {
	Columns []Column
	Vectors []*Vector
}

// FrameOf makes a frame of rows.
func FrameOf(cols []Column, rows ...[]engine.Value) Frame {
	f := Frame{Columns: cols}
	for i := range cols {
		v := &Vector{}
		for _, row := range rows {
			v.Add(row[i])
		}
		f.Vectors = append(f.Vectors, v)
	}
	return f
}

// Len returns the number of rows.
func (f Frame) Len() int {
	if len(f.Vectors) == 0 {
		return 0
	}
	return f.Vectors[0].Len()
}

// Find returns the index of a column by its name in the table or in the script,
// or -1. Case counts only where two names differ by nothing else.
func (f Frame) Find(name string) int {
	for _, same := range []func(a, b string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for i, c := range f.Columns {
			if same(c.Name, name) {
				return i
			}
		}
		for i, c := range f.Columns {
			if same(c.ScriptName(), name) {
				return i
			}
		}
	}
	return -1
}

// Of returns the indices of the columns of a role.
func (f Frame) Of(r Role) []int {
	var list []int
	for i, c := range f.Columns {
		if c.Role == r {
			list = append(list, i)
		}
	}
	return list
}

// Pick returns the rows at the places given, in that order.
func (f Frame) Pick(rows []int) Frame {
	picked := Frame{Columns: f.Columns, Vectors: make([]*Vector, len(f.Vectors))}
	for i, v := range f.Vectors {
		picked.Vectors[i] = v.Pick(rows)
	}
	return picked
}

// Select returns the columns at the places given, in that order.
func (f Frame) Select(places []int) Frame {
	var selected Frame
	for _, p := range places {
		selected.Columns = append(selected.Columns, f.Columns[p])
		selected.Vectors = append(selected.Vectors, f.Vectors[p])
	}
	return selected
}
