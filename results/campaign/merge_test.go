package campaign

import (
	"bytes"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/parquet"
	"mpf/results/record"
	"mpf/results/tables"
)

const (
	mergedLevels, mergedReplicates = 16, 3
	mergedShards                   = 8
)

// tablesConfig publishes tables and writes sample segments as mpf does.
func tablesConfig() Config {
	config := testConfig()
	config.Segments = func(w io.Writer, host string) (Segment, error) { return parquet.NewSegment(w, host) }
	config.Durability = OS // nothing here ends by a crash
	config.Tables = tables.NewPublisher(nil, tables.Options{MPF: "test"})
	return config
}

// variedPlan is a plan whose runs end in every way, see variedDone.
func variedPlan(levels int) record.Plan {
	plan := testPlan(levels, mergedReplicates)
	plan.Experiment.Roles = []engine.Role{{Name: "client"}, {Name: "server"}}
	plan.Experiment.Results = append(plan.Experiment.Results, engine.ResultColumn{Name: "declared_int", Type: engine.Int})
	return plan
}

// variedDone is what an attempt of a run ends with. It depends on nothing else,
// so it is the same in whichever campaign the run is made. Every fourth run
// fails at first, one always does.
func variedDone(run engine.Run, attempt int) engine.Done {
	rank, late := int64(run.Rank), run.Position > 30
	d := doneOf(run)
	d.Seconds, d.Gap = 0.5+float64(rank)/7, 0
	d.Hosts = []engine.HostRecord{
		{Host: "h1", Roles: []string{"client"}, BootID: "b", Clock: engine.ClockOffset{Offset: time.Millisecond}, Ended: engine.Closing{SamplerCPU: 0.01, Readings: 3}},
		{Host: "h2", Roles: []string{"server"}, BootID: "c", Ended: engine.Closing{Missed: 1}},
	}
	d.Steps = append(d.Steps, engine.StepRecord{
		Step: "serve", Role: "server", Host: "h2", Status: engine.OK, Start: begun.Add(time.Duration(rank) * time.Second), Seconds: 0.25,
		Commands: []engine.CommandRecord{{Argv: []string{"serve", fmt.Sprint(rank)}, Start: begun, Seconds: 0.1, Usage: engine.Usage{UserSeconds: 0.05, MaxRSS: 1000 + rank}}},
		Spans:    []engine.SpanRecord{{Name: "warm", Start: begun, Seconds: 0.1}},
	})
	d.Results = engine.Results{
		{Name: "x", Value: float64(rank) / 3}, {Name: "declared_int", Value: 1<<53 + 1 + rank},
		{Name: "int_then_float", Value: rank}, {Name: "wide_int_and_float", Value: 1<<53 + 1 + rank},
		{Name: "mix", Value: fmt.Sprint("text ", rank)}, {Name: "odd", Value: math.NaN()},
	}
	if late {
		d.Results[2].Value, d.Results[3].Value, d.Results[4].Value, d.Results[5].Value = 0.5, 2.5, rank, math.Inf(-1)
		d.Results = append(d.Results, engine.NamedValue{Name: "late", Value: []engine.Value{rank, "item", nil, 0.5}}, engine.NamedValue{Name: "later", Value: late})
	}
	if rank%4 == 1 && attempt == 1 || rank == 6 {
		d.Status, d.Cause, d.Message, d.Step, d.Host = engine.Failed, engine.CauseExit, "exit status 1", "serve", "h2"
		d.Warnings = []engine.Warning{{Code: "odd", Text: "it fails"}}
		d.Results = engine.Results{{Name: "only_when_failed", Value: rank}}
	}
	return d
}

// varied makes the attempts of a run that its end asks for.
func varied(c *Campaign, run engine.Run) error {
	for number := 1; number <= 2; number++ {
		start := startOf(run, number)
		start.Hosts = append(start.Hosts, engine.RoleHost{Role: "server", Host: "h2", BootID: "c"})
		log, err := c.Open(ctx, start)
		if err != nil {
			return err
		}
		for k := range 3 {
			look := engine.Reading{Wall: begun.Add(time.Duration(k) * time.Second), Mono: time.Duration(k) * time.Second, CPUs: 2, CPUMean: float64(run.Rank), DiskReadBytes: -1}
			if run.Position > 30 {
				look.Extra = map[string]float64{"gpu0_percent": float64(k)}
			}
			log.Readings("h1").Put(look)
			log.Readings("h2").Put(look)
		}
		done := variedDone(run, number)
		if err := log.Done(ctx, done); err != nil || done.Status == engine.OK {
			return err
		}
	}
	return nil
}

// variedCampaign makes a campaign, or a shard of it, in which a plan of fewer
// levels follows, so that some of its rows lie outside the design.
func variedCampaign(t *testing.T, dir string, mine func(engine.Run) bool) {
	t.Helper()
	plan := variedPlan(mergedLevels)
	c, err := Create(dir, plan, nil, tablesConfig())
	must(t, err)
	for _, run := range runsOf(plan) {
		if mine(run) && run.Replicate < mergedReplicates {
			must(t, varied(c, run))
		}
	}
	fewer := variedPlan(mergedLevels - 2)
	must(t, c.Extend(fewer, "extend"))
	for _, run := range runsOf(fewer) {
		if mine(run) && run.Replicate == mergedReplicates {
			must(t, varied(c, run))
		}
	}
	must(t, c.Close())
}

// variedShard is the i-th of the shards: the runs of a range of ranks.
func variedShard(i int) func(engine.Run) bool {
	return func(r engine.Run) bool { return int(r.Rank)*mergedShards/mergedLevels == i }
}

func TestTablesOfMergedShardsAreThoseOfTheWhole(t *testing.T) {
	whole := filepath.Join(t.TempDir(), "whole")
	variedCampaign(t, whole, func(engine.Run) bool { return true })
	var shards []*Campaign
	for i := range mergedShards {
		dir := filepath.Join(t.TempDir(), fmt.Sprint("shard", i))
		variedCampaign(t, dir, variedShard(i))
		shards = append(shards, readDir(t, dir))
	}
	shards = append(shards, shards[2]) // the same runs once more
	merged := filepath.Join(t.TempDir(), "merged")
	c, conflicts, err := Merge(merged, shards, nil, tablesConfig())
	must(t, err)
	must(t, c.Close())
	if len(conflicts) > 0 {
		t.Errorf("conflicts: %v", conflicts)
	}
	for _, name := range []string{tables.RunsFile, tables.StepsFile, tables.UsageFile, tables.SamplesFile} {
		sameTable(t, filepath.Join(merged, name), filepath.Join(whole, name), map[string]bool{"sequence": true, "invocation": true})
	}
	for _, name := range []string{tables.StepsFile, tables.UsageFile, tables.SamplesFile} { // they have no bookkeeping
		got, want := fileBytes(t, filepath.Join(merged, name)), fileBytes(t, filepath.Join(whole, name))
		if !bytes.Equal(got, want) {
			t.Errorf("%s has other bytes", name)
		}
	}
	wantVaried(t, filepath.Join(merged, tables.RunsFile))
}

// sameTable compares all that a table says, but for some columns.
func sameTable(t *testing.T, got, want string, but map[string]bool) {
	t.Helper()
	a, b := loadTable(t, got), loadTable(t, want)
	if a.Len() != b.Len() || len(a.Columns) != len(b.Columns) || a.Len() == 0 {
		t.Fatalf("%s: %d rows of %d columns, want %d of %d", got, a.Len(), len(a.Columns), b.Len(), len(b.Columns))
	}
	for i, column := range b.Columns {
		if fmt.Sprintf("%+v", a.Columns[i]) != fmt.Sprintf("%+v", column) {
			t.Errorf("%s: column %+v, want %+v", got, a.Columns[i], column)
		}
		if but[column.Name] {
			continue
		}
		for row := range b.Len() {
			x, y := a.Vectors[i].At(row), b.Vectors[i].At(row)
			if fmt.Sprintf("%T %v", x, x) != fmt.Sprintf("%T %v", y, y) {
				t.Fatalf("%s: column %q, row %d: %v, want %v", got, column.Name, row+1, x, y)
			}
		}
	}
}

func loadTable(t *testing.T, path string) columns.Frame {
	t.Helper()
	f, err := tables.Open(path)
	must(t, err)
	defer f.Close()
	frame, err := f.Load()
	must(t, err)
	return frame
}

func fileBytes(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	must(t, err)
	return data
}

// wantVaried proves that the table holds what the comparison is for.
func wantVaried(t *testing.T, path string) {
	t.Helper()
	f := loadTable(t, path)
	seen := map[string]int{}
	for i, c := range f.Columns {
		for row := range f.Len() {
			v := f.Vectors[i].At(row)
			switch x, _ := v.(float64); {
			case c.Name == "orphaned" && v == true, c.Name == "attempts" && v == int64(2), c.Name == "status" && v == "failed",
				c.Name == "late" && v != nil, c.Name == "odd" && math.IsNaN(x), c.Name == "declared_int" && v == int64(1<<53+1),
				c.Name == "int_then_float" && x == 0.5, c.Name == "wide_int_and_float" && c.Mixed && v == "9007199254740993",
				c.Name == "mix" && c.Mixed, c.Name == "only_when_failed" && v != nil:
				seen[c.Name]++
			}
		}
	}
	for _, name := range []string{"orphaned", "attempts", "status", "late", "odd", "declared_int", "int_then_float", "wide_int_and_float", "mix", "only_when_failed"} {
		if seen[name] == 0 {
			t.Errorf("no row is there for the sake of column %q", name)
		}
	}
}

// A run that two shards made, each its own way, is named; the rule decides all
// that the tables say of it.
func TestTablesHoldOneOfARunMadeTwice(t *testing.T) {
	twice := func(r engine.Run) bool { return r.Rank == 3 && r.Replicate == 1 }
	dirs := []string{filepath.Join(t.TempDir(), "a"), filepath.Join(t.TempDir(), "b")}
	variedCampaign(t, dirs[0], func(r engine.Run) bool { return r.Rank < 4 })
	c, err := Create(dirs[1], variedPlan(mergedLevels), nil, tablesConfig())
	must(t, err)
	for _, run := range runsOf(variedPlan(mergedLevels)) {
		if twice(run) {
			start := startOf(run, 1)
			start.Nonce += "-again"
			log, err := c.Open(ctx, start)
			must(t, err)
			done := variedDone(run, 1)
			done.Message, done.Status, done.Cause = "the other one", engine.Failed, engine.CauseExit
			must(t, log.Done(ctx, done))
		}
	}
	must(t, c.Extend(variedPlan(mergedLevels-2), "extend"))
	must(t, c.Close())
	from := []*Campaign{readDir(t, dirs[0]), readDir(t, dirs[1])}
	_, conflicts, err := Merge(filepath.Join(t.TempDir(), "refused"), from, nil, tablesConfig())
	wantRefused(t, err, "1 runs were made more than once")
	if len(conflicts) != 1 {
		t.Fatalf("conflicts: %v", conflicts)
	}
	for second, message := range map[bool]string{false: "", true: "the other one"} {
		dir := filepath.Join(t.TempDir(), "merged")
		c, _, err := Merge(dir, from, func(_, _ *record.Attempt) bool { return second }, tablesConfig())
		must(t, err)
		must(t, c.Close())
		run := conflicts[0].Run
		if rows := cellsOf(t, filepath.Join(dir, tables.RunsFile), run, "message"); len(rows) != 1 || rows[0] != message {
			t.Errorf("second %v: rows %q", second, rows)
		}
		for name, want := range map[string]int{tables.StepsFile: 2, tables.UsageFile: 2} {
			if rows := cellsOf(t, filepath.Join(dir, name), run, "host"); len(rows) != want {
				t.Errorf("second %v: %s has %q", second, name, rows)
			}
		}
	}
}

// cellsOf returns what a column says in the rows of a run.
func cellsOf(t *testing.T, path, run, name string) []string {
	t.Helper()
	f := loadTable(t, path)
	var found []string
	for row := range f.Len() {
		if f.Vectors[0].At(row) != run {
			continue
		}
		for i, c := range f.Columns {
			if text, _ := f.Vectors[i].At(row).(string); c.Name == name {
				found = append(found, text)
			}
		}
	}
	return found
}
