package campaign

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"mpf/engine"
	"mpf/results/durable"
	"mpf/results/fsys"
	"mpf/results/manifest"
	"mpf/results/record"
)

var ctx = context.Background()

// begun is when every test begins.
var begun = time.Date(2026, 11, 20, 18, 3, 11, 0, time.UTC)

// stillClock stands still.
type stillClock struct{ engine.SystemClock }

func (stillClock) Now() time.Time { return begun }

func testConfig() Config {
	return Config{MPF: "test", Clock: stillClock{}, Segments: newTextSegment, reserve: 64}
}

// textSegment is a segment of one line a reading.
type textSegment struct {
	w    io.Writer
	rows int64
	err  error
}

func newTextSegment(w io.Writer, host string) (Segment, error) { return &textSegment{w: w}, nil }

func (s *textSegment) Put(r engine.Reading) {
	s.rows++
	if _, err := fmt.Fprintln(s.w, r.Mono); err != nil {
		s.err = err
	}
}
func (s *textSegment) Dropped() int64        { return 0 }
func (s *textSegment) Close() (int64, error) { return s.rows, s.err }

// testPlan is a plan of one variable with some levels.
func testPlan(levels, replicates int) record.Plan {
	v := engine.Variable{Name: "n"}
	for i := range levels {
		v.Levels = append(v.Levels, engine.Level{Label: fmt.Sprint(i), Value: int64(i)})
	}
	return record.Plan{
		Treatments: uint64(levels), Runs: int64(levels * replicates),
		Experiment: engine.Experiment{
			Name: "test", Seed: 7, Replicates: replicates, Variables: []engine.Variable{v},
			Roles:    []engine.Role{{Name: "client"}},
			Timeline: []engine.Stage{{{Name: "measure", Digest: "d1"}}},
			Results:  []engine.ResultColumn{{Name: "x", Type: engine.Float}},
			Sources:  []engine.Source{{Path: "test.star", SHA256: durable.SHA256([]byte("script")), Content: "script"}},
		},
	}
}

// runsOf lists the runs of testPlan.
func runsOf(plan record.Plan) []engine.Run {
	id := engine.NewIdentifier(plan.Experiment.Name, plan.Experiment.Seed, plan.Experiment.Variables)
	var runs []engine.Run
	for r := 1; r <= plan.Experiment.Replicates; r++ {
		for i := range plan.Experiment.Variables[0].Levels {
			t := engine.Treatment{i}
			runs = append(runs, engine.Run{
				ID: id.Identify(t, r), Treatment: t, Rank: uint64(i), Replicate: r, Block: r, Position: int64(len(runs)),
			})
		}
	}
	return runs
}

func startOf(run engine.Run, attempt int) engine.Start {
	return engine.Start{
		Run: run, Attempt: attempt, Nonce: fmt.Sprintf("%s-%d", run.ID, attempt), Group: "all",
		Hosts: []engine.RoleHost{{Role: "client", Host: "h1", BootID: "b"}}, Wall: begun,
	}
}

// doneOf is what a run ends with, always the same for the same run.
func doneOf(run engine.Run) engine.Done {
	return engine.Done{
		Status: engine.OK, Wall: begun, Seconds: 0.5,
		Results: engine.Results{{Name: "x", Value: float64(run.Rank) / 3}, {Name: "s", Value: "text " + run.ID.String()}},
		Steps:   []engine.StepRecord{{Step: "measure", Role: "client", Host: "h1", Status: engine.OK, Start: begun, Seconds: 0.5}},
	}
}

// execute does one attempt of a run that leaves files and readings.
func execute(c *Campaign, run engine.Run) error {
	log, err := c.Open(ctx, startOf(run, c.State(run.ID).Attempts+1))
	if err != nil {
		return err
	}
	a := log.(*attempt)
	log.Readings("h1").Put(engine.Reading{Mono: time.Second})
	if err := a.writeFile("stdout", []byte("printed by "+run.ID.String())); err != nil {
		return c.fail(err)
	}
	return log.Done(ctx, doneOf(run))
}

// goOn does what a run loop does: abandon what is unfinished, then do what is
// missing.
func goOn(c *Campaign, plan record.Plan, acknowledged func(engine.Run)) error {
	for _, s := range c.Unfinished() {
		if err := c.Fence(ctx, engine.Attempt{Run: s.Run.ID, Number: s.Attempt, Nonce: s.Nonce}, "h1", engine.Fenced{How: "swept"}); err != nil {
			return err
		}
		if err := c.Abandon(ctx, s); err != nil {
			return err
		}
	}
	for _, run := range runsOf(plan) {
		if s := c.State(run.ID).Status; s != "" && !s.Resumes() {
			continue
		}
		if err := execute(c, run); err != nil {
			return err
		}
		acknowledged(run)
	}
	c.Complete()
	return nil
}

func ignore(engine.Run) {}

func TestCampaignIsRunAndRead(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "out", "x")
	plan := testPlan(3, 2)
	plan.Cluster = "hosts: {}"
	c, err := Create(dir, plan, []Input{{Path: "deploy/commit", Data: []byte("abc")}}, testConfig())
	must(t, err)
	must(t, goOn(c, plan, ignore))
	must(t, c.Close())

	c, err = Read(dir)
	must(t, err)
	defer c.Close()
	if got := c.Plan(); got.Cluster != plan.Cluster || got.Number != 1 || got.Runs != 6 || got.Experiment.Timeline[0][0].Name != "measure" {
		t.Errorf("plan: %+v", got)
	}
	runs := runsOf(plan)
	count := 0
	for a, err := range c.Attempts() {
		must(t, err)
		run := runs[count]
		if a.Sequence != int64(count+1) || a.Plan != 1 || a.Invocation != 1 || !reflect.DeepEqual(a.Start, startOf(run, 1)) || !reflect.DeepEqual(a.Done, doneOf(run)) {
			t.Errorf("attempt %d: %+v", count, a)
		}
		checkFiles(t, c, a)
		count++
	}
	if count != len(runs) {
		t.Errorf("%d attempts", count)
	}
	results, err := c.Results(runs[2].ID)
	must(t, err)
	if !reflect.DeepEqual(results, doneOf(runs[2]).Results) {
		t.Errorf("results: %v", results)
	}
	if closed := c.Summary().Closed; closed == nil || !closed.Complete {
		t.Error("not closed as complete")
	}
	for _, name := range []string{"inputs/0001/test.star", "inputs/0001/cluster.yaml", "inputs/0001/deploy/commit", "manifest.json"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// checkFiles compares the files of an attempt with what was recorded of them.
func checkFiles(t *testing.T, c *Campaign, a *record.Attempt) {
	t.Helper()
	if len(a.Files) != 2 || a.Files[0].Path != "samples-h1.arrows" || a.Files[0].Rows != 1 || a.Files[1].Path != "stdout" {
		t.Errorf("files: %+v", a.Files)
	}
	for _, f := range a.Files {
		checkFile(t, c, a, f)
	}
}

func checkFile(t *testing.T, c *Campaign, a *record.Attempt, f record.File) {
	t.Helper()
	name := c.AttemptDir(a.Start.Run.ID, a.Start.Attempt) + "/" + f.Path
	got, err := durable.Hash(c.tree, name)
	must(t, err)
	if got.Size != f.Size || got.SHA256 != f.SHA256 {
		t.Errorf("%s is %+v, recorded %+v", name, got, f)
	}
}

// wantWhole compares all files of attempts with what was recorded of them.
func wantWhole(t *testing.T, c *Campaign) {
	t.Helper()
	dropped := c.Summary().Dropped != nil
	for a, err := range c.Attempts() {
		must(t, err)
		for _, f := range a.Files {
			if !dropped || !record.IsSegment(f.Path) {
				checkFile(t, c, a, f)
			}
		}
	}
}

func TestSecondEngineIsRefusedByName(t *testing.T) {
	dir := t.TempDir()
	c, err := Create(dir, testPlan(1, 1), nil, testConfig())
	must(t, err)
	_, err = Open(dir, testConfig())
	var refused *RefusedError
	if !errors.As(err, &refused) || !errors.Is(err, fsys.ErrLocked) {
		t.Fatalf("second engine: %v", err)
	}
	if want := fmt.Sprintf("process %d on ", os.Getpid()); !strings.Contains(refused.Error(), want) {
		t.Errorf("%q does not name %q", refused, want)
	}
	must(t, c.Close())
	c, err = Open(dir, testConfig())
	must(t, err)
	must(t, c.Close())
}

func TestUnfinishedAttemptIsAbandonedWithWhatItLeft(t *testing.T) {
	dir := t.TempDir()
	plan := testPlan(1, 1)
	run := runsOf(plan)[0]
	c, err := Create(dir, plan, nil, testConfig())
	must(t, err)
	log, err := c.Open(ctx, startOf(run, 1))
	must(t, err)
	log.Readings("h1").Put(engine.Reading{})
	must(t, os.WriteFile(filepath.Join(log.Dir(), "stdout"), []byte("so far"), 0o600))
	must(t, c.release()) // as death would

	c, err = Open(dir, testConfig())
	must(t, err)
	if got := c.Unfinished(); len(got) != 1 || !reflect.DeepEqual(got[0], startOf(run, 1)) {
		t.Fatalf("unfinished: %+v", got)
	}
	if !c.State(run.ID).Open {
		t.Error("the run is not open")
	}
	must(t, goOn(c, plan, ignore))
	must(t, c.Close())
	c, err = Read(dir)
	must(t, err)
	defer c.Close()
	var got []*record.Attempt
	for a, err := range c.Attempts() {
		must(t, err)
		got = append(got, a)
	}
	if len(got) != 2 || got[0].Done.Cause != engine.CauseEngineDied || got[1].Start.Attempt != 2 || got[1].Invocation != 2 {
		t.Fatalf("attempts: %+v", got)
	}
	if f := got[0].Files; len(f) != 2 || f[0].Path != "samples-h1.arrows.partial" || f[1].Path != "stdout" || f[1].Size != 6 {
		t.Errorf("files of the first: %+v", f)
	}
}

func TestTornJournalIsSaid(t *testing.T) {
	dir := finished(t, testPlan(1, 1), testConfig())
	name := filepath.Join(dir, "journal", "00000001.jsonl")
	b, err := os.ReadFile(name)
	must(t, err)
	must(t, os.WriteFile(name, b[:len(b)-3], 0o600))
	for _, want := range []int{1, 0} { // said once
		c, err := Open(dir, testConfig())
		must(t, err)
		if w := c.Warnings(); len(w) != want {
			t.Errorf("warnings: %v, want %d", w, want)
		}
		must(t, c.Close())
	}
}

func TestHugeAttemptIsKeptInAFile(t *testing.T) {
	dir := t.TempDir()
	plan := testPlan(1, 1)
	run := runsOf(plan)[0]
	c, err := Create(dir, plan, nil, testConfig())
	must(t, err)
	log, err := c.Open(ctx, startOf(run, 1))
	must(t, err)
	done := doneOf(run)
	done.Message = strings.Repeat("long ", 100_000)
	must(t, log.Done(ctx, done))
	results, err := c.Results(run.ID)
	must(t, err)
	if !reflect.DeepEqual(results, done.Results) {
		t.Errorf("results: %v", results)
	}
	for a, err := range c.Attempts() {
		must(t, err)
		if !reflect.DeepEqual(a.Done, done) || len(a.Files) != 1 || a.Files[0].Path != spillName {
			t.Errorf("read back another attempt, files %v", a.Files)
		}
	}
	must(t, c.Close())
}

func TestResultsThatCannotBeRecordedFailTheirRun(t *testing.T) {
	dir := t.TempDir()
	plan := testPlan(1, 1)
	run := runsOf(plan)[0]
	c, err := Create(dir, plan, nil, testConfig())
	must(t, err)
	log, err := c.Open(ctx, startOf(run, 1))
	must(t, err)
	text := strings.Repeat("x", 70_000)
	must(t, log.Done(ctx, engine.Done{Status: engine.OK, Results: engine.Results{
		{Name: "big", Value: text}, {Name: "ok", Value: math.Inf(1)}, {Name: "bad", Value: "\xff"},
	}}))
	must(t, c.Close())
	c, err = Read(dir)
	must(t, err)
	defer c.Close()
	for a, err := range c.Attempts() {
		must(t, err)
		if a.Done.Status != engine.Failed || a.Done.Cause != engine.CauseResultType || !strings.Contains(a.Done.Message, `result "big": a text of 70000 bytes`) {
			t.Errorf("done: %+v", a.Done)
		}
		if len(a.Done.Results) != 1 || a.Done.Results[0].Name != "ok" {
			t.Errorf("results: %v", a.Done.Results)
		}
		data, err := os.ReadFile(filepath.Join(dir, c.AttemptDir(run.ID, 1), "result-big"))
		must(t, err)
		if string(data) != text {
			t.Error("the text was not kept")
		}
	}
}

func TestResultsOfAnotherTypeAreWarnedOf(t *testing.T) {
	dir, plan := t.TempDir(), testPlan(6, 1)
	runs := runsOf(plan)
	record := func(c *Campaign, run engine.Run, value engine.Value) {
		log, err := c.Open(ctx, startOf(run, 1))
		must(t, err)
		must(t, log.Done(ctx, engine.Done{Status: engine.OK, Results: engine.Results{{Name: "y", Value: value}}}))
	}
	c, err := Create(dir, plan, nil, testConfig())
	must(t, err)
	record(c, runs[0], nil)
	record(c, runs[1], int64(1))
	record(c, runs[2], 2.5)
	must(t, c.Close())
	c, err = Open(dir, testConfig())
	must(t, err)
	record(c, runs[3], "fast")
	record(c, runs[4], 3.5)
	record(c, runs[5], "slow")
	must(t, c.Close())
	warned := fmt.Sprintf("result \"y\" was float in run %s, is string here: its column becomes text", runs[2].ID)
	want := []string{"", "", "", warned, "", warned}
	c = readDir(t, dir)
	for a, err := range c.Attempts() {
		must(t, err)
		got := ""
		for _, w := range a.Done.Warnings {
			got += w.Text
		}
		if got != want[a.Sequence-1] {
			t.Errorf("attempt %d: warnings %q, want %q", a.Sequence, got, want[a.Sequence-1])
		}
	}
}

func TestManifestListsEverything(t *testing.T) {
	dir := t.TempDir()
	plan := testPlan(2, 1)
	c, err := Create(dir, plan, nil, testConfig())
	must(t, err)
	must(t, goOn(c, plan, ignore))
	must(t, c.Close())
	text, err := os.ReadFile(filepath.Join(dir, manifest.Name))
	must(t, err)
	var m manifest.Manifest
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	must(t, decoder.Decode(&m))
	if m.Experiment != "test" || m.Seed != 7 || !m.Complete || m.LastFrame == 0 || len(m.Files) != 7 {
		t.Errorf("manifest: %+v", m)
	}
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
