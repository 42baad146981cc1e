package query

import (
	"io"
	"slices"
	"strings"

	"mpf/results/columns"
	"mpf/results/grid"
)

// Choose returns the columns of a list of names, in its order.
func Choose(f columns.Frame, names []string) (columns.Frame, error) {
	var places []int
	for _, name := range names {
		i, err := find(f, name)
		if err != nil {
			return f, err
		}
		places = append(places, i)
	}
	return f.Select(places), nil
}

// Sort orders rows by columns, with a minus in front for descending.
func Sort(f columns.Frame, names []string) (columns.Frame, error) {
	rows := make([]int, f.Len())
	for i := range rows {
		rows[i] = i
	}
	for _, name := range slices.Backward(names) {
		plain, descending := strings.CutPrefix(name, "-")
		i, err := find(f, plain)
		if err != nil {
			return f, err
		}
		slices.SortStableFunc(rows, func(a, b int) int {
			if descending {
				a, b = b, a
			}
			return Compare(f.Vectors[i].At(a), f.Vectors[i].At(b))
		})
	}
	return f.Pick(rows), nil
}

// RenderRows prints rows as a table.
func RenderRows(w io.Writer, f columns.Frame) error {
	var head []string
	var right []bool
	for _, c := range f.Columns {
		head = append(head, c.Name)
		right = append(right, numeric(c.Type))
	}
	g := grid.Grid{Rows: [][]string{head}, Right: right}
	for row := range f.Len() {
		var texts []string
		for _, v := range f.Vectors {
			texts = append(texts, cellText(v.At(row)))
		}
		g.Rows = append(g.Rows, texts)
	}
	return g.Render(w)
}
