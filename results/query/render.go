package query

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"mpf/engine"
)

// Render prints a summary for a terminal of a width in columns; 0 is any
// width. What does not fit beside each other stands below each other.
func (s Summary) Render(w io.Writer, width int) error {
	grid, table := s.grid(), s.renderTall
	if width <= 0 || grid.width() <= width {
		table = grid.render
	}
	for _, part := range []func(io.Writer) error{table, s.renderCaption, s.renderWarnings} {
		if err := part(w); err != nil {
			return err
		}
	}
	return nil
}

// Width is how many columns of a terminal the summary's table takes.
func (s Summary) Width() int { return s.grid().width() }

// renderCaption says what the numbers are.
func (s Summary) renderCaption(w io.Writer) error {
	if !slices.Contains(s.Stats, "ci") || len(s.Groups) == 0 {
		return nil
	}
	_, err := fmt.Fprintf(w, "%s [%g %% interval] of the runs that are ok\n", s.center(), 100*s.confidence)
	return err
}

func (s Summary) renderWarnings(w io.Writer) error {
	for _, warning := range s.Warnings {
		if _, err := fmt.Fprintf(w, "note: %s\n", warning.Text); err != nil {
			return err
		}
	}
	return nil
}

func (s Summary) grid() grid {
	var g grid
	for _, c := range s.By {
		g.head = append(g.head, c.ScriptName())
		g.left = append(g.left, !numeric(c.Type) || c.Labelled)
	}
	g.head, g.left = append(g.head, "ok"), append(g.left, false)
	scales := s.scales()
	for i, c := range s.Results {
		for _, name := range s.shown() {
			g.head = append(g.head, heading(c.ScriptName(), name, scales[i].unit, s.shown()[0]))
			g.left = append(g.left, false)
		}
	}
	for _, group := range s.Groups {
		var row []string
		for _, v := range group.Key {
			row = append(row, cellText(v))
		}
		row = append(row, s.okText(group))
		for i, cell := range group.Cells {
			row = append(row, s.cellTexts(cell, scales[i])...)
		}
		g.rows = append(g.rows, row)
	}
	return g
}

// okText is how many runs are ok, of how many if not all are.
func (s Summary) okText(g Group) string {
	if g.OK == g.Runs {
		return fmt.Sprint(g.OK)
	}
	return fmt.Sprintf("%d/%d", g.OK, g.Runs)
}

// shown lists the statistics that have a column: an interval stands with the
// value that it is of.
func (s Summary) shown() []string {
	return slices.DeleteFunc(slices.Clone(s.Stats), func(name string) bool { return name == "ci" && len(s.Stats) > 1 })
}

func heading(result, stat, unit, first string) string {
	text := result
	if unit != "" {
		text += " [" + unit + "]"
	}
	if stat != first || stat != "median" {
		text += " " + stat
	}
	return text
}

func (s Summary) cellTexts(c Cell, sc scale) []string {
	var texts []string
	for i, name := range s.Stats {
		if name == "ci" && len(s.Stats) > 1 {
			continue
		}
		one := sc
		if name == "n" {
			one = scale{1, ""}
		}
		text := orDash(one.format(c.Values[i]))
		if c.CI != nil && (name == s.center() || name == "ci") {
			interval := fmt.Sprintf("[%s, %s]", sc.format(c.CI.Low), sc.format(c.CI.High))
			if text += " " + interval; name == "ci" {
				text = interval
			}
		}
		texts = append(texts, text)
	}
	return texts
}

// center is the statistic of which the interval is.
func (s Summary) center() string {
	if s.ofMean() {
		return "mean"
	}
	return "median"
}

func (s Summary) scales() []scale {
	scales := make([]scale, len(s.Results))
	for i, c := range s.Results {
		largest := 0.0
		for _, g := range s.Groups {
			for j, x := range g.Cells[i].Values {
				if s.Stats[j] != "n" && !math.IsInf(x, 0) && math.Abs(x) > largest {
					largest = math.Abs(x)
				}
			}
		}
		scales[i] = scaleFor(c.Unit, largest)
	}
	return scales
}

func orDash(text string) string {
	if text == "" {
		return "-"
	}
	return text
}

// cellText is a value as a cell shows it: a dash for null, and what would not
// stay within its cell, or would look like null, in quotes.
func cellText(v engine.Value) string {
	text := Text(v)
	_, isText := v.(string)
	switch {
	case v == nil:
		return "-"
	case isText && (text == "" || text == "-"), strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }):
		return strconv.Quote(text)
	}
	return text
}

// renderTall prints a paragraph a group.
func (s Summary) renderTall(w io.Writer) error {
	scales := s.scales()
	for _, group := range s.Groups {
		var words []string
		for i, v := range group.Key {
			if v != nil {
				words = append(words, s.By[i].ScriptName()+"="+cellText(v))
			}
		}
		words = append(words, "ok="+s.okText(group))
		if _, err := fmt.Fprintln(w, strings.Join(words, " ")); err != nil {
			return err
		}
		for i, c := range s.Results {
			for j, text := range s.cellTexts(group.Cells[i], scales[i]) {
				name := heading(c.ScriptName(), s.shown()[j], "", s.shown()[0])
				if _, err := fmt.Fprintf(w, "    %s %s %s\n", name, text, scales[i].unit); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// A grid is texts in rows and columns, numbers to the right.
type grid struct {
	head []string
	left []bool
	rows [][]string
}

func (g grid) widths() []int {
	widths := make([]int, len(g.head))
	for i, text := range g.head {
		widths[i] = utf8.RuneCountInString(text)
	}
	for _, row := range g.rows {
		for i, text := range row {
			widths[i] = max(widths[i], utf8.RuneCountInString(text))
		}
	}
	return widths
}

func (g grid) width() int {
	total := 0
	for _, w := range g.widths() {
		total += w + 2
	}
	return total - 2
}

func (g grid) render(w io.Writer) error {
	widths := g.widths()
	for _, row := range append([][]string{g.head}, g.rows...) {
		var line strings.Builder
		for i, text := range row {
			if i > 0 {
				line.WriteString("  ")
			}
			space := strings.Repeat(" ", widths[i]-utf8.RuneCountInString(text))
			if g.left[i] {
				line.WriteString(text + space)
			} else {
				line.WriteString(space + text)
			}
		}
		if _, err := fmt.Fprintln(w, strings.TrimRight(line.String(), " ")); err != nil {
			return err
		}
	}
	return nil
}
