package grid

import (
	"io"
	"strings"
)

// gap parts two columns.
const gap = 2

// A Grid is texts in rows and columns. A row may be shorter than others.
type Grid struct {
	Rows  [][]string
	Right []bool // columns whose texts stand to the right, as numbers do
}

// Width is how many cells of a terminal the grid takes.
func (g Grid) Width() int {
	total := 0
	for _, w := range g.widths() {
		total += w + gap
	}
	return max(total-gap, 0)
}

func (g Grid) widths() (widths []int) {
	for _, row := range g.Rows {
		for i, text := range row {
			if i == len(widths) {
				widths = append(widths, 0)
			}
			widths[i] = max(widths[i], Width(text))
		}
	}
	return widths
}

// Render prints the grid, a line a row.
func (g Grid) Render(w io.Writer) error {
	widths := g.widths()
	var lines strings.Builder
	for _, row := range g.Rows {
		var line strings.Builder
		for i, text := range row {
			space := strings.Repeat(" ", widths[i]-Width(text))
			if i < len(g.Right) && g.Right[i] {
				text, space = space+text, ""
			}
			line.WriteString(text + space + strings.Repeat(" ", gap))
		}
		lines.WriteString(strings.TrimRight(line.String(), " ") + "\n")
	}
	_, err := io.WriteString(w, lines.String())
	return err
}
