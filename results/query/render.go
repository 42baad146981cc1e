package query

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"mpf/engine"
	"mpf/results/grid"
)

// Render prints a summary for a terminal of a width in columns; 0 is any
// width. What does not fit beside each other stands below each other.
func (s Summary) Render(w io.Writer, width int) error {
	g, table := s.grid(), s.renderTall
	if width <= 0 || g.Width() <= width {
		table = g.Render
	}
	for _, part := range []func(io.Writer) error{table, s.renderCaption, s.renderWarnings} {
		if err := part(w); err != nil {
			return err
		}
	}
	return nil
}

// Width is how many columns of a terminal the summary's table takes.
func (s Summary) Width() int { return s.grid().Width() }

// renderCaption says what the numbers are.
func (s Summary) renderCaption(w io.Writer) error {
	if !slices.Contains(s.Stats, "ci") || len(s.Groups) == 0 || len(s.Results) == 0 {
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

func (s Summary) grid() grid.Grid {
	var head []string
	var right []bool
	for _, c := range s.By {
		head = append(head, c.ScriptName())
		right = append(right, numeric(c.Type) && !c.Labelled)
	}
	head, right = append(head, "ok"), append(right, true)
	scales := s.scales()
	for i, c := range s.Results {
		for _, name := range s.shown() {
			head = append(head, heading(c.ScriptName(), name, scales[i].unit, s.shown()[0]))
			right = append(right, true)
		}
	}
	g := grid.Grid{Rows: [][]string{head}, Right: right}
	for _, group := range s.Groups {
		var row []string
		for _, v := range group.Key {
			row = append(row, cellText(v))
		}
		row = append(row, s.okText(group))
		for i, cell := range group.Cells {
			row = append(row, s.cellTexts(cell, scales[i])...)
		}
		g.Rows = append(g.Rows, row)
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
	case isText && text == "-":
		return strconv.Quote(text)
	}
	return engine.Shown(text)
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
