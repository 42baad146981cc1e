package tables

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/results/columns"
	"mpf/results/fsys"
	"mpf/results/fsys/fsystest"
	"mpf/results/parquet"
	"mpf/results/record"
)

var update = flag.Bool("update", false, "write the golden files anew")

func publish(t testing.TB, c record.Source, o Options) (fsys.FS, Report) {
	t.Helper()
	tree := memory(t)
	report, err := Publish(context.Background(), c, tree, o)
	if err != nil {
		t.Fatal(err)
	}
	return tree, report
}

// opened writes a published table to disk and opens it there.
func opened(t testing.TB, tree fsys.FS, name string) *File {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, published(t, tree, name), 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.Close() })
	return f
}

func load(t testing.TB, tree fsys.FS, name string) columns.Frame {
	t.Helper()
	frame, err := opened(t, tree, name).Load()
	if err != nil {
		t.Fatal(err)
	}
	return frame
}

// cell returns a value of a frame by the name of its column.
func cell(t testing.TB, f columns.Frame, row int, name string) engine.Value {
	t.Helper()
	i := f.Find(name)
	if i < 0 {
		t.Fatalf("no column %q", name)
	}
	return f.Vectors[i].At(row)
}

func TestSchemasAreGolden(t *testing.T) {
	tree, _ := publish(t, newCampaign(3), Options{MPF: "test"})
	var b strings.Builder
	for _, name := range []string{RunsFile, StepsFile, UsageFile, SamplesFile} {
		f := opened(t, tree, name)
		fmt.Fprintf(&b, "%s\n", name)
		for _, c := range f.Columns {
			fmt.Fprintf(&b, "  %-34s %-7s %-9s %s\n", c.Name, c.Type, c.Role, c.Unit)
		}
	}
	enginetest.Golden(t, filepath.Join("testdata", "schema.golden"), b.String(), *update)
}

func TestTheOrderOfCompletionDoesNotShow(t *testing.T) {
	c := newCampaign(20)
	c.attempts[7].Done.Results = append(c.attempts[7].Done.Results, engine.NamedValue{Name: "late", Value: int64(1)})
	c.attempts[3].Done.Results = append(c.attempts[3].Done.Results, engine.NamedValue{Name: "zlate", Value: 1.5})
	tree, _ := publish(t, c, Options{})
	want := published(t, tree, RunsFile)
	for seed := range uint64(5) {
		tree := memory(t)
		p := NewPublisher(tree, Options{})
		if err := p.prepare(c); err != nil {
			t.Fatal(err)
		}
		for i, a := range c.shuffled(seed).attempts {
			if err := p.take(c, a); err != nil {
				t.Fatal(err)
			}
			p.last = int64(i + 1)
			if i%50 == 0 { // published as it grows
				if err := p.write(context.Background()); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := p.write(context.Background()); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(want, published(t, tree, RunsFile)) {
			t.Errorf("order %d: other bytes", seed)
		}
	}
}

func TestARunHasOneRow(t *testing.T) {
	c := newCampaign(2)
	again := *c.attempts[5]
	c.attempts[5].Done.Status, c.attempts[5].Done.Cause, c.attempts[5].Done.Results = engine.Failed, engine.CauseExit, nil
	again.Sequence, again.Start.Attempt, again.Invocation = int64(len(c.attempts)+1), 2, 2
	c.attempts = append(c.attempts, &again)
	tree, report := publish(t, c, Options{})
	if report.Tables[0].Rows != 24 {
		t.Fatalf("%d rows", report.Tables[0].Rows)
	}
	f := load(t, tree, RunsFile)
	if status, n := cell(t, f, 5, "status"), cell(t, f, 5, "attempts"); status != "ok" || n != int64(2) {
		t.Errorf("status %v after %v attempts", status, n)
	}
}

func TestARunHasOneRowWhateverPlansItsAttemptsHad(t *testing.T) {
	c := newCampaign(2)
	failed := func(of record.Attempt, plan, attempt int) *record.Attempt {
		of.Done.Status, of.Done.Cause, of.Done.Results = engine.Failed, engine.CauseScript, nil
		of.Sequence, of.Start.Attempt, of.Plan, of.Invocation = int64(len(c.attempts)+1), attempt, plan, plan
		return &of
	}
	first := *c.attempts[5]
	c.attempts[5] = failed(first, 1, 1)
	c.attempts[5].Sequence = first.Sequence
	plan := c.plans[0]
	plan.Number = 2
	c.plans = append(c.plans, plan)
	for attempt, of := range []int{1, 2, 2} {
		c.attempts = append(c.attempts, failed(first, of, attempt+2))
	}
	tree, report := publish(t, c, Options{})
	if report.Tables[0].Rows != 24 {
		t.Fatalf("%d rows, want 24", report.Tables[0].Rows)
	}
	f := load(t, tree, RunsFile)
	if plan, n := cell(t, f, 23, "plan"), cell(t, f, 23, "attempts"); plan != int64(2) || n != int64(4) {
		t.Errorf("the row is of plan %v, after %v attempts; want plan 2, after 4", plan, n)
	}
}

func TestValuesAreThoseOfTheRecord(t *testing.T) {
	c := newCampaign(1)
	tree, _ := publish(t, c, Options{})
	f := load(t, tree, RunsFile)
	for i, a := range c.attempts {
		e := c.plans[0].Experiment
		run := a.Start.Run
		for v, variable := range e.Variables {
			want := run.Treatment.Value(e.Variables, v)
			if variable.Name == "zerocopy" { // labelled
				want = run.Treatment.Label(e.Variables, v)
			}
			if have := cell(t, f, i, variable.Name); have != want {
				t.Errorf("row %d: %s is %v, want %v", i, variable.Name, have, want)
			}
		}
		for _, r := range a.Done.Results {
			if have := cell(t, f, i, r.Name); have != r.Value {
				t.Errorf("row %d: %s is %v, want %v", i, r.Name, have, r.Value)
			}
		}
		if cell(t, f, i, "run_id") != run.ID.String() || cell(t, f, i, "seconds") != a.Done.Seconds ||
			cell(t, f, i, "host_client") != "node2" || cell(t, f, i, "orphaned") != false {
			t.Errorf("row %d differs", i)
		}
	}
}

func TestTheFileAloneTellsHowItCameAbout(t *testing.T) {
	tree := memory(t)
	if err := fsys.MakeDir(tree, "plan"); err != nil {
		t.Fatal(err)
	}
	put := func(name, content string) {
		if err := fsys.WriteFile(tree, name, []byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	put("plan/0001.json", `{"plan":1}`)
	if err := fsys.MakeDir(tree, record.DeployedDir(1)); err != nil {
		t.Fatal(err)
	}
	put(record.DeployedDir(1)+"/0001.json", "{}")
	put(record.DeployedDir(1)+"/0001.tar.gz", strings.Repeat("x", 100))
	put(record.DeployedDir(1)+"/0002.json", "[]")
	put(record.DeployedDir(1)+"/0002.tar.gz", strings.Repeat("x", maxDeployed-50))
	if _, err := Publish(context.Background(), newCampaign(1), tree, Options{MPF: "v9", Manifest: func() string { return `{"hosts":2}` }}); err != nil {
		t.Fatal(err)
	}
	f := opened(t, tree, RunsFile)
	in, err := f.Inputs()
	if err != nil {
		t.Fatal(err)
	}
	if in.Plans["plan/0001.json"] != `{"plan":1}` || in.Cluster != "hosts: {}\n" || in.Manifest != `{"hosts":2}` ||
		len(in.Sources) != 1 || in.Sources[0].Content != "experiment(\"iperf\")\n" {
		t.Errorf("inputs: %+v", in)
	}
	if len(in.Deployed) != 3 || string(in.Deployed["0001.json"]) != "{}" || len(in.Deployed["0002.tar.gz"]) != maxDeployed-50 {
		t.Errorf("it carries %d files of what was deployed", len(in.Deployed)) // the older archive is one too much
	}
	if c := f.Campaign; c.Experiment != "iperf" || c.Seed != 42 || !c.Complete || c.MPF != "v9" || c.Sequence != 12 || c.Plans[0].SHA256 != "ab" {
		t.Errorf("campaign: %+v", c)
	}
	if _, err := opened(t, tree, StepsFile).Inputs(); err == nil {
		t.Error("a steps table gave inputs")
	}
}

// TestAFailedPublicationLeavesTheOldFile fails each operation on storage in
// turn, once and for ever.
func TestAFailedPublicationLeavesTheOldFile(t *testing.T) {
	old, grown := newCampaign(1), newCampaign(2)
	for _, forEver := range []bool{false, true} {
		for k := 1; ; k++ {
			tree := memory(t)
			if _, err := Publish(context.Background(), old, tree, Options{}); err != nil {
				t.Fatal(err)
			}
			faults := fsystest.NewFaults(tree, fsystest.Fault{At: k, Forever: forEver, Err: syscall.ENOSPC})
			_, err := Publish(context.Background(), grown, faults, Options{})
			if !faults.Hit() {
				if err != nil {
					t.Fatalf("clean pass: %v", err)
				}
				break
			}
			whole(t, tree, RunsFile, 12, 24)
			whole(t, tree, UsageFile, 0, 0)
		}
	}
}

// whole fails unless a file is complete and has one of two numbers of rows.
func whole(t *testing.T, tree fsys.FS, name string, a, b int64) {
	t.Helper()
	f, err := parquet.NewFile(bytes.NewReader(published(t, tree, name)))
	if err != nil {
		t.Fatal(err)
	}
	if n := f.Rows(); n != a && n != b {
		t.Errorf("%s has %d rows", name, n)
	}
	for c := range f.Fields() {
		for g := range f.Groups() {
			if _, err := f.Read(g, c); err != nil {
				t.Error(err)
			}
		}
	}
}
