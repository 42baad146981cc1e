package query

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mpf/engine"
	"mpf/results/columns"
)

// A Group is the runs that have the same values in the By columns.
type Group struct {
	Key   []engine.Value
	Runs  int
	OK    int
	Cells []Cell // one for each result
}

func byColumns(f columns.Frame, names []string) ([]int, error) {
	var by []int
	for _, name := range names {
		i, err := find(f, name)
		if err != nil {
			return nil, err
		}
		by = append(by, i)
	}
	if len(names) > 0 {
		return by, nil
	}
	for _, i := range f.Of(columns.Variable) {
		if !f.Vectors[i].Constant() || f.Len() == 0 {
			by = append(by, i)
		}
	}
	return by, nil
}

func resultColumns(f columns.Frame, names []string) ([]int, error) {
	var results []int
	for _, name := range names {
		i, err := find(f, name)
		if err != nil {
			return nil, err
		}
		if !numeric(f.Columns[i].Type) {
			return nil, fmt.Errorf("column %q: holds %s, a summary needs numbers", name, f.Columns[i].Type)
		}
		results = append(results, i)
	}
	if len(names) > 0 {
		return results, nil
	}
	for _, i := range f.Of(columns.Result) {
		if numeric(f.Columns[i].Type) {
			results = append(results, i)
		}
	}
	return results, nil
}

func numeric(t columns.Type) bool { return t == columns.Int || t == columns.Float || t == columns.Bool }

// groupRows returns the rows of each group, groups in the order in which the
// levels of their variables were declared.
func groupRows(f columns.Frame, by []int) [][]int {
	index := map[string]int{}
	var groups [][]int
	for row := range f.Len() {
		var key strings.Builder
		for _, i := range by {
			key.WriteString(strconv.Quote(Text(f.Vectors[i].At(row))))
			key.WriteByte(byte(f.Vectors[i].Kind(row)))
		}
		g, ok := index[key.String()]
		if !ok {
			g = len(groups)
			index[key.String()] = g
			groups = append(groups, nil)
		}
		groups[g] = append(groups[g], row)
	}
	slices.SortStableFunc(groups, func(a, b []int) int {
		for _, i := range by {
			if c := compareLevels(f.Columns[i], f.Vectors[i].At(a[0]), f.Vectors[i].At(b[0])); c != 0 {
				return c
			}
		}
		return 0
	})
	return groups
}

func compareLevels(c columns.Column, a, b engine.Value) int {
	place := func(v engine.Value) int {
		return slices.IndexFunc(c.Levels, func(l columns.Level) bool {
			return Text(v) == l.Label || !c.Labelled && Text(v) == Text(l.Value)
		})
	}
	return cmp.Or(cmp.Compare(place(a), place(b)), Compare(a, b))
}

// Compare orders values: nulls, numbers, then texts.
func Compare(a, b engine.Value) int {
	x, isX := Number(a)
	y, isY := Number(b)
	switch {
	case isX && isY:
		return cmp.Compare(x, y)
	case isX != isY && a != nil && b != nil:
		if isX {
			return -1
		}
		return 1
	}
	return cmp.Compare(Text(a), Text(b))
}

func (s *Summary) group(f columns.Frame, by, results, rows []int) Group {
	g := Group{Runs: len(rows)}
	for _, i := range by {
		g.Key = append(g.Key, f.Vectors[i].At(rows[0]))
	}
	status := f.Find("status")
	var ok []int
	for _, row := range rows {
		if status < 0 || f.Vectors[status].Text(row) == string(engine.OK) {
			ok = append(ok, row)
		}
	}
	g.OK = len(ok)
	for _, i := range results {
		g.Cells = append(g.Cells, s.cell(f.Vectors[i], ok))
	}
	return g
}
