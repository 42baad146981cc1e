package export

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/record"
	"mpf/results/tables"
)

// ImportOptions say what the columns of a CSV are.
type ImportOptions struct {
	Experiment string
	Variables  []string // its columns that are variables; the others are results
}

// An Imported is a record made of a CSV: an ok run a row, in the order of the
// rows. Columns named status, seconds and started are taken for what they are
// in a runs table.
type Imported struct {
	Left     []string // columns that are how mpf measured, and were left out
	plan     record.Plan
	attempts []*record.Attempt
}

var _ record.Source = (*Imported)(nil)

// Plans implements record.Source.
func (m *Imported) Plans() []record.Plan { return []record.Plan{m.plan} }

// AttemptDir implements record.Source.
func (m *Imported) AttemptDir(run engine.RunID, attempt int) string {
	return path.Join("runs", run.String(), strconv.Itoa(attempt))
}

// Attempts implements record.Source.
func (m *Imported) Attempts() iter.Seq2[*record.Attempt, error] {
	return func(yield func(*record.Attempt, error) bool) {
		for _, a := range m.attempts {
			if !yield(a, nil) {
				return
			}
		}
	}
}

// ImportCSV reads a CSV whose first row names its columns. A column of which
// every cell is an integer, a number or true or false has that type; a cell
// without anything in it is a null, "" an empty text.
func ImportCSV(r io.Reader, o ImportOptions) (*Imported, error) {
	rows, err := readCSV(r)
	if err != nil {
		return nil, err
	}
	if len(rows) == 0 {
		return nil, errors.New("csv: has no first row with names")
	}
	names := make([]string, len(rows[0]))
	for i, c := range rows[0] {
		names[i] = strings.TrimSpace(c.text)
	}
	for _, v := range o.Variables {
		if !slices.Contains(names, v) {
			return nil, fmt.Errorf("csv: has no column %q for the variable (it has %s)", v, strings.Join(names, ", "))
		}
	}
	values, err := typed(rows[1:], names)
	if err != nil {
		return nil, err
	}
	m := &Imported{Left: bookkeeping(names, o.Variables)}
	return m, m.build(o, names, values)
}

// build makes the plan and the attempts of columns of values.
func (m *Imported) build(o ImportOptions, names []string, values [][]engine.Value) error {
	e := engine.Experiment{Name: o.Experiment, Replicates: 1, Order: engine.Declared, Sampling: engine.Sampling{Off: true}}
	places := make([]int, len(o.Variables))
	for i, name := range o.Variables {
		places[i] = slices.Index(names, name)
		e.Variables = append(e.Variables, engine.Variable{Name: name, Levels: levelsOf(values[places[i]])})
	}
	id := engine.NewIdentifier(e.Name, e.Seed, e.Variables)
	replicates := map[string]int{}
	treatments := uint64(0)
	for row := range len(values[0]) {
		t := make(engine.Treatment, len(places))
		for i, p := range places {
			t[i] = levelOf(e.Variables[i], values[p][row])
		}
		key := fmt.Sprint([]int(t))
		if replicates[key]++; replicates[key] == 1 {
			treatments++
		}
		e.Replicates = max(e.Replicates, replicates[key])
		run := engine.Run{Treatment: t, Replicate: replicates[key], Block: replicates[key], Position: int64(row)}
		run.ID = id.Identify(t, run.Replicate)
		a := &record.Attempt{Sequence: int64(row + 1), Plan: 1, Invocation: 1, Start: engine.Start{Run: run, Attempt: 1}, Done: engine.Done{Status: engine.OK}}
		for c, name := range names {
			if !slices.Contains(places, c) && !slices.Contains(m.Left, name) {
				take(a, name, values[c][row])
			}
		}
		m.attempts = append(m.attempts, a)
	}
	m.plan = record.Plan{Number: 1, Reason: "import", Experiment: e, Treatments: treatments, Runs: int64(len(m.attempts))}
	return nil
}

// bookkeeping lists the columns that a runs table would have anyway, but for
// those that take knows.
func bookkeeping(names, variables []string) []string {
	var left []string
	for _, name := range names {
		isFixed := slices.ContainsFunc(tables.RunColumns(), func(c columns.Column) bool { return c.Name == name })
		known := slices.Contains([]string{"status", "seconds", "started"}, name) || slices.Contains(variables, name)
		if (isFixed || strings.HasPrefix(name, "host_")) && !known {
			left = append(left, name)
		}
	}
	return left
}

// take puts a cell where it belongs in an attempt.
func take(a *record.Attempt, name string, v engine.Value) {
	if v == nil {
		return
	}
	switch text, _ := v.(string); {
	case name == "status" && slices.Contains(engine.Statuses[:], engine.Status(text)):
		a.Done.Status = engine.Status(text)
		return
	case name == "started":
		if t, err := time.Parse(time.RFC3339Nano, text); err == nil {
			a.Start.Wall = t
			return
		}
	case name == "seconds":
		switch x := v.(type) {
		case float64:
			a.Done.Seconds = x
			return
		case int64:
			a.Done.Seconds = float64(x)
			return
		}
	}
	a.Done.Results = append(a.Done.Results, engine.NamedValue{Name: name, Value: v})
}

func levelsOf(values []engine.Value) []engine.Level {
	var levels []engine.Level
	seen := map[string]bool{}
	for _, v := range values {
		label := engine.FormatValue(v)
		if v != nil && !seen[label] {
			seen[label] = true
			levels = append(levels, engine.Level{Label: label, Value: v})
		}
	}
	return levels
}

func levelOf(variable engine.Variable, v engine.Value) int {
	if v == nil {
		return engine.Absent
	}
	label := engine.FormatValue(v)
	return slices.IndexFunc(variable.Levels, func(l engine.Level) bool { return l.Label == label })
}

// typed returns the columns of rows.
func typed(rows [][]cell, names []string) ([][]engine.Value, error) {
	values := make([][]engine.Value, len(names))
	for c := range names {
		texts := make([]cell, len(rows))
		for r, row := range rows {
			if len(row) != len(names) {
				return nil, fmt.Errorf("csv:%d: %d cells under %d names", row[0].line, len(row), len(names))
			}
			texts[r] = row[c]
		}
		values[c] = typeColumn(texts)
	}
	return values, nil
}

func typeColumn(cells []cell) []engine.Value {
	for _, parse := range []func(string) (engine.Value, error){
		func(s string) (engine.Value, error) { return strconv.ParseInt(s, 10, 64) },
		func(s string) (engine.Value, error) { return strconv.ParseFloat(s, 64) },
		parseBool,
	} {
		if values, ok := parseAll(cells, parse); ok {
			return values
		}
	}
	values, _ := parseAll(cells, func(s string) (engine.Value, error) { return s, nil })
	return values
}

func parseBool(s string) (engine.Value, error) {
	switch strings.ToLower(s) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return nil, errors.New("neither true nor false")
}

func parseAll(cells []cell, parse func(string) (engine.Value, error)) ([]engine.Value, bool) {
	values := make([]engine.Value, len(cells))
	for i, c := range cells {
		if c.text == "" && !c.quoted {
			continue
		}
		v, err := parse(c.text)
		if err != nil {
			return nil, false
		}
		values[i] = v
	}
	return values, true
}

// A cell of a CSV; encoding/csv does not tell "" from nothing.
type cell struct {
	text   string
	quoted bool
	line   int
}

// readCSV reads all rows. Lines without anything in them are left out.
func readCSV(r io.Reader) ([][]cell, error) {
	var rows [][]cell
	p := csvReader{in: bufio.NewReader(r), line: 1}
	for {
		row, err := p.row()
		if errors.Is(err, io.EOF) {
			return rows, nil
		}
		if err != nil {
			return nil, err
		}
		if len(row) > 1 || row[0].text != "" || row[0].quoted {
			rows = append(rows, row)
		}
	}
}
