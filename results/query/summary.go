package query

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/stats"
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

// A Group is the runs that have the same values in the By columns.
type Group struct {
	Key   []engine.Value
	Runs  int
	OK    int
	Cells []Cell // one for each result
}

// A Cell describes the values of one result in one group.
type Cell struct {
	N      int
	Values []float64 // for each of Stats; of "ci" the lower end
	CI     *stats.Interval
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
		if status < 0 || f.Vectors[status].At(row) == string(engine.OK) {
			ok = append(ok, row)
		}
	}
	g.OK = len(ok)
	for _, i := range results {
		g.Cells = append(g.Cells, s.cell(f.Vectors[i], ok))
	}
	return g
}

func (s *Summary) cell(v *columns.Vector, rows []int) Cell {
	var values []float64
	for _, row := range rows {
		x, ok := Number(v.At(row))
		if b, isBool := v.At(row).(bool); isBool {
			ok = true
			if b {
				x = 1
			}
		}
		if ok && !math.IsNaN(x) {
			values = append(values, x)
		}
	}
	c := Cell{N: len(values)}
	for _, name := range s.Stats {
		x, _ := s.statistic(name, values)
		c.Values = append(c.Values, x)
	}
	if slices.Contains(s.Stats, "ci") {
		c.CI = s.interval(values)
	}
	return c
}

// interval is that of the median, or of the mean where no median is shown.
func (s *Summary) interval(values []float64) *stats.Interval {
	of := stats.MedianInterval
	if s.ofMean() {
		of = stats.MeanInterval
	}
	if i, ok := of(values, s.confidence); ok {
		return &i
	}
	return nil
}

func (s *Summary) ofMean() bool {
	return slices.Contains(s.Stats, "mean") && !slices.Contains(s.Stats, "median")
}

func (s *Summary) statistic(name string, values []float64) (float64, error) {
	switch name {
	case "n":
		return float64(len(values)), nil
	case "mean":
		return stats.Mean(values), nil
	case "median":
		return stats.Median(values), nil
	case "sd":
		return stats.Deviation(values), nil
	case "min":
		return stats.Percentile(values, 0), nil
	case "max":
		return stats.Percentile(values, 100), nil
	case "ci":
		if i := s.interval(values); i != nil {
			return i.Low, nil
		}
		return math.NaN(), nil
	}
	if p, err := strconv.ParseFloat(strings.TrimPrefix(name, "p"), 64); err == nil && name[0] == 'p' && p >= 0 && p <= 100 {
		return stats.Percentile(values, p), nil
	}
	return 0, fmt.Errorf("statistic %q: there is none (use n, mean, median, ci, sd, min, max or pNN such as p99)", name)
}

// tooFew warns once of groups that are too small for an interval.
func (s *Summary) tooFew() {
	if !slices.Contains(s.Stats, "ci") || s.ofMean() {
		return
	}
	least, small := stats.LeastForMedian(s.confidence), 0
	for _, g := range s.Groups {
		if slices.ContainsFunc(g.Cells, func(c Cell) bool { return c.N < least }) {
			small++
		}
	}
	if small > 0 {
		s.warn("too-few", "%s without an interval: %v %% of a median needs %d replicates", count(small, "line"), 100*s.confidence, least)
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
