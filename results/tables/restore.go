package tables

import (
	"cmp"
	"fmt"
	"iter"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/record"
)

// A Restored is a record made of a runs table alone: an attempt for each row.
// Of each attempt it has what the row says; steps, commands, files and earlier
// attempts are gone. Where values of several types had to share a column, they
// have the column's type.
type Restored struct {
	plans    []record.Plan
	attempts []*record.Attempt
}

var _ record.Source = (*Restored)(nil)

// Restore reads a runs table back. Decode reads a plan file, as the journal
// does.
func Restore(path string, decode func([]byte) (record.Plan, error)) (*Restored, error) {
	f, err := Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	in, err := f.Inputs()
	if err != nil {
		return nil, err
	}
	r := &Restored{}
	if r.plans, err = decodePlans(in.Plans, decode); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	frame, err := f.Load()
	if err != nil {
		return nil, err
	}
	for row := range frame.Len() {
		a, err := r.attempt(frame, row)
		if err != nil {
			return nil, fmt.Errorf("%s: row %d: %w", path, row+1, err)
		}
		r.attempts = append(r.attempts, a)
	}
	slices.SortStableFunc(r.attempts, func(a, b *record.Attempt) int { return cmp.Compare(a.Sequence, b.Sequence) })
	for i, a := range r.attempts {
		a.Sequence = int64(i + 1) // earlier attempts left gaps
	}
	return r, nil
}

func decodePlans(files map[string]string, decode func([]byte) (record.Plan, error)) ([]record.Plan, error) {
	names := make([]string, 0, len(files))
	for name := range files {
		names = append(names, name)
	}
	slices.Sort(names)
	var plans []record.Plan
	for _, name := range names {
		p, err := decode([]byte(files[name]))
		if err != nil {
			return nil, fmt.Errorf("%s in its metadata: %w", name, err)
		}
		plans = append(plans, p)
	}
	if len(plans) == 0 {
		return nil, fmt.Errorf("its metadata holds no plan")
	}
	return plans, nil
}

// Plans implements record.Source.
func (r *Restored) Plans() []record.Plan { return r.plans }

// AttemptDir implements record.Source.
func (r *Restored) AttemptDir(run engine.RunID, attempt int) string {
	return path.Join("runs", run.String(), strconv.Itoa(attempt))
}

// Attempts implements record.Source.
func (r *Restored) Attempts() iter.Seq2[*record.Attempt, error] {
	return func(yield func(*record.Attempt, error) bool) {
		for _, a := range r.attempts {
			if !yield(a, nil) {
				return
			}
		}
	}
}

// attempt makes an attempt of a row.
func (r *Restored) attempt(f columns.Frame, row int) (*record.Attempt, error) {
	cells := rowReader{f, row}
	a := &record.Attempt{Sequence: cells.int("sequence"), Plan: int(cells.int("plan")), Invocation: int(cells.int("invocation"))}
	i := slices.IndexFunc(r.plans, func(p record.Plan) bool { return p.Number == a.Plan })
	if i < 0 {
		return nil, fmt.Errorf("plan %d: its metadata holds none", a.Plan)
	}
	e := &r.plans[i].Experiment
	id, err := engine.ParseRunID(cells.text("run_id"))
	if err != nil {
		return nil, err
	}
	a.Start = engine.Start{
		Run:     engine.Run{ID: id, Replicate: int(cells.int("replicate")), Block: int(cells.int("block")), Position: cells.int("position")},
		Attempt: int(cells.int("attempt")), Group: cells.text("group"), Wall: cells.time("started"), Hosts: cells.hosts(e.Roles),
	}
	if a.Start.Run.Treatment, err = cells.treatment(e.Variables); err != nil {
		return nil, err
	}
	a.Done = engine.Done{
		Status: engine.Status(cells.text("status")), Cause: engine.Cause(cells.text("cause")), Message: cells.text("message"),
		Host: cells.text("failed_host"), Step: cells.text("failed_step"), Trace: parsePos(cells.text("failed_where")),
		Seconds: cells.float("seconds"), Gap: cells.float("gap"), Results: cells.results(), Warnings: cells.warnings(),
		Deployed: cells.deployed(),
	}
	a.Done.Wall = a.Start.Wall.Add(time.Duration(a.Done.Seconds * float64(time.Second)))
	return a, nil
}

// A rowReader reads the cells of one row by the names of their columns.
type rowReader struct {
	frame columns.Frame
	row   int
}

func (c rowReader) value(name string) engine.Value {
	for i, column := range c.frame.Columns {
		if column.Name == name {
			return c.frame.Vectors[i].At(c.row)
		}
	}
	return nil
}

func (c rowReader) truth(name string) bool     { b, _ := c.value(name).(bool); return b }
func (c rowReader) int(name string) int64      { n, _ := c.value(name).(int64); return n }
func (c rowReader) float(name string) float64  { x, _ := c.value(name).(float64); return x }
func (c rowReader) text(name string) string    { s, _ := c.value(name).(string); return s }
func (c rowReader) time(name string) time.Time { t, _ := c.value(name).(time.Time); return t }

func (c rowReader) hosts(roles []engine.Role) []engine.RoleHost {
	var list []engine.RoleHost
	for _, r := range roles {
		for _, host := range strings.Split(c.text("host_"+r.Name), ",") {
			if host != "" {
				list = append(list, engine.RoleHost{Role: r.Name, Host: host, Shared: c.truth("shared_host")})
			}
		}
	}
	return list
}

// treatment finds the levels that the cells of the variables show.
func (c rowReader) treatment(variables []engine.Variable) (engine.Treatment, error) {
	t := make(engine.Treatment, len(variables))
	for v, variable := range variables {
		t[v] = engine.Absent
		for i, column := range c.frame.Columns {
			if column.Role != columns.Variable || column.ScriptName() != variable.Name {
				continue
			}
			shown := c.frame.Vectors[i].At(c.row)
			if shown == nil {
				continue
			}
			t[v] = slices.IndexFunc(variable.Levels, func(l engine.Level) bool { return shows(column, l, shown) })
			if t[v] < 0 {
				return nil, fmt.Errorf("variable %q: its plan has no level %v", variable.Name, shown)
			}
		}
	}
	return t, nil
}

// shows reports whether a cell shows a level.
func shows(c columns.Column, l engine.Level, shown engine.Value) bool {
	if c.Labelled {
		return shown == l.Label
	}
	if n, ok := l.Value.(int64); ok && c.Type == columns.Float {
		return shown == float64(n)
	}
	return shown == l.Value
}

func (c rowReader) results() engine.Results {
	var list engine.Results
	for i, column := range c.frame.Columns {
		if v := c.frame.Vectors[i].At(c.row); column.Role == columns.Result && v != nil {
			list = append(list, engine.NamedValue{Name: column.ScriptName(), Value: v})
		}
	}
	return list
}

func (c rowReader) deployed() []engine.Deployed {
	texts, _ := c.value("deployed").([]engine.Value)
	var list []engine.Deployed
	for _, text := range texts {
		list = append(list, parseDeployed(engine.FormatValue(text)))
	}
	return list
}

func (c rowReader) warnings() []engine.Warning {
	texts, _ := c.value("warnings").([]engine.Value)
	var list []engine.Warning
	for _, text := range texts {
		code, rest, ok := strings.Cut(engine.FormatValue(text), ": ")
		if !ok {
			code, rest = "", code
		}
		list = append(list, engine.Warning{Code: code, Text: rest})
	}
	return list
}

// parsePos reads file:line:column; the file may hold colons.
func parsePos(text string) []engine.Pos {
	parts := strings.Split(text, ":")
	if len(parts) < 3 {
		return nil
	}
	n := len(parts)
	line, errLine := strconv.Atoi(parts[n-2])
	col, errCol := strconv.Atoi(parts[n-1])
	if errLine != nil || errCol != nil {
		return nil
	}
	return []engine.Pos{{File: strings.Join(parts[:n-2], ":"), Line: line, Col: col}}
}
