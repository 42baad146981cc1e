package query

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mpf/engine"
	"mpf/results/columns"
)

// Options say what a summary shows.
type Options struct {
	By         []string // variables or other columns; empty: the variables that vary
	Results    []string // empty: all that are numbers
	Stats      []string // n, mean, median, ci, sd, min, max, pNN; empty: median, ci
	Sort       []string // columns or results, with a minus in front for descending
	Confidence float64  // 0 is 0.95
}

// A Summary is what results come to, by treatment.
type Summary struct {
	By       []columns.Column
	Results  []columns.Column
	Stats    []string
	Groups   []Group
	Warnings []engine.Warning

	confidence float64
}

// Summarize describes the results of the rows that are ok, by treatment. Rows
// outside the design are left out, and a warning says so.
func Summarize(f columns.Frame, o Options) (Summary, error) {
	s := Summary{Stats: o.Stats, confidence: o.Confidence}
	if len(s.Stats) == 0 {
		s.Stats = []string{"median", "ci"}
	}
	if s.confidence == 0 {
		s.confidence = 0.95
	}
	for _, name := range s.Stats {
		if _, err := s.statistic(name, nil); err != nil {
			return s, err
		}
	}
	f = s.withoutOrphans(f)
	by, err := byColumns(f, o.By)
	if err != nil {
		return s, err
	}
	results, err := resultColumns(f, o.Results)
	if err != nil {
		return s, err
	}
	s.By, s.Results = f.Select(by).Columns, f.Select(results).Columns
	s.hidden(f, by)
	for _, rows := range groupRows(f, by) {
		s.Groups = append(s.Groups, s.group(f, by, results, rows))
	}
	s.tooFew()
	return s, s.sort(o.Sort)
}

func (s *Summary) warn(code, format string, args ...any) {
	s.Warnings = append(s.Warnings, engine.Warning{Code: code, Text: fmt.Sprintf(format, args...)})
}

func (s *Summary) withoutOrphans(f columns.Frame) columns.Frame {
	i := f.Find("orphaned")
	if i < 0 {
		return f
	}
	var rows []int
	for row := range f.Len() {
		if f.Vectors[i].At(row) != true {
			rows = append(rows, row)
		}
	}
	if left := f.Len() - len(rows); left > 0 {
		s.warn("orphaned", "%s outside the latest design %s left out", count(left, "run"), were(left))
		return f.Pick(rows)
	}
	return f
}

// hidden warns of variables that vary within groups.
func (s *Summary) hidden(f columns.Frame, by []int) {
	var names []string
	for _, i := range f.Of(columns.Variable) {
		if !slices.Contains(by, i) && !f.Vectors[i].Constant() {
			names = append(names, f.Columns[i].ScriptName())
		}
	}
	if len(names) > 0 {
		s.warn("hidden-variables", "each line puts together runs that differ in %s", strings.Join(names, ", "))
	}
}

func (s *Summary) sort(names []string) error {
	for _, name := range slices.Backward(names) {
		plain, descending := strings.CutPrefix(name, "-")
		value, err := s.sortValue(plain)
		if err != nil {
			return err
		}
		slices.SortStableFunc(s.Groups, func(a, b Group) int {
			if descending {
				a, b = b, a
			}
			return Compare(value(a), value(b))
		})
	}
	return nil
}

func (s *Summary) sortValue(name string) (func(Group) engine.Value, error) {
	for i, c := range s.By {
		if c.Name == name || c.ScriptName() == name {
			return func(g Group) engine.Value { return g.Key[i] }, nil
		}
	}
	for i, c := range s.Results {
		if c.Name == name || c.ScriptName() == name {
			stat := max(0, slices.IndexFunc(s.Stats, func(name string) bool { return name != "n" && name != "ci" }))
			return func(g Group) engine.Value { return g.Cells[i].Values[stat] }, nil
		}
	}
	return nil, fmt.Errorf("sort by %q: the summary has no such column", name)
}

func count(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return strconv.Itoa(n) + " " + what + "s"
}

func were(n int) string {
	if n == 1 {
		return "was"
	}
	return "were"
}
