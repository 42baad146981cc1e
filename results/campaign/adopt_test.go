package campaign

import (
	"errors"
	"iter"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/results/record"
)

// shard runs those runs of a plan that it is asked for.
func shard(t *testing.T, plan record.Plan, mine func(engine.Run) bool) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "shard")
	c, err := Create(dir, plan, nil, testConfig())
	must(t, err)
	for _, run := range runsOf(plan) {
		if mine(run) {
			must(t, execute(c, run))
		}
	}
	c.Complete()
	must(t, c.Close())
	return dir
}

func readDir(t *testing.T, dir string) *Campaign {
	t.Helper()
	c, err := Read(dir)
	must(t, err)
	t.Cleanup(func() { must(t, c.Close()) })
	return c
}

// attemptsOf reads all attempts by run, with the files compared.
func attemptsOf(t *testing.T, c *Campaign) map[engine.RunID]record.Attempt {
	t.Helper()
	all := map[engine.RunID]record.Attempt{}
	for a, err := range c.Attempts() {
		must(t, err)
		checkFiles(t, c, a)
		a.Sequence = 0
		all[a.Start.Run.ID] = *a
	}
	return all
}

func TestMergedShardsEqualTheCampaign(t *testing.T) {
	plan := testPlan(4, 2)
	whole := readDir(t, shard(t, plan, func(engine.Run) bool { return true }))
	odd := readDir(t, shard(t, plan, func(r engine.Run) bool { return r.Rank%2 == 1 }))
	rest := readDir(t, shard(t, plan, func(r engine.Run) bool { return r.Rank%2 == 0 || r.Rank == 3 })) // rank 3 is in both, and the same
	dir := filepath.Join(t.TempDir(), "merged")
	c, conflicts, err := Merge(dir, []*Campaign{odd, rest}, nil, testConfig())
	must(t, err)
	if len(conflicts) != 0 {
		t.Errorf("conflicts: %v", conflicts)
	}
	must(t, c.Close())
	merged := readDir(t, dir)
	if got, want := attemptsOf(t, merged), attemptsOf(t, whole); !reflect.DeepEqual(got, want) {
		t.Errorf("merged %v\nwhole %v", got, want)
	}
	if closed := merged.Summary().Closed; closed == nil || !closed.Complete {
		t.Error("the merged campaign is not complete")
	}
	wantWhole(t, merged)
	_, _, err = Merge(dir, []*Campaign{odd, rest}, nil, testConfig())
	wantRefused(t, err, "holds a campaign already")
}

func TestMergeRefusesConflictsUnlessToldWhichToKeep(t *testing.T) {
	plan := testPlan(1, 1)
	run := runsOf(plan)[0]
	var dirs []*Campaign
	for _, nonce := range []string{"one", "two"} {
		dir := filepath.Join(t.TempDir(), nonce)
		c, err := Create(dir, plan, nil, testConfig())
		must(t, err)
		start := startOf(run, 1)
		start.Nonce = nonce
		log, err := c.Open(ctx, start)
		must(t, err)
		must(t, log.Done(ctx, engine.Done{Status: engine.OK, Message: nonce}))
		must(t, c.Close())
		dirs = append(dirs, readDir(t, dir))
	}
	dir := filepath.Join(t.TempDir(), "merged")
	_, conflicts, err := Merge(dir, dirs, nil, testConfig())
	wantRefused(t, err, "1 runs were made more than once, such as "+run.ID.String())
	if len(conflicts) != 1 || conflicts[0].Dirs != [2]string{dirs[0].dir, dirs[1].dir} {
		t.Errorf("conflicts: %v", conflicts)
	}
	c, _, err := Merge(dir, dirs, func(a, b *record.Attempt) bool { return b.Done.Message > a.Done.Message }, testConfig())
	must(t, err)
	for a, err := range c.Attempts() {
		must(t, err)
		if a.Done.Message != "two" {
			t.Errorf("kept %q", a.Done.Message)
		}
	}
	must(t, c.Close())
}

func TestMergeRefusesAnotherPlan(t *testing.T) {
	other := testPlan(3, 1)
	other.Experiment.Seed = 8
	none := func(engine.Run) bool { return false }
	from := []*Campaign{readDir(t, shard(t, testPlan(3, 1), none)), readDir(t, shard(t, other, none))}
	_, _, err := Merge(filepath.Join(t.TempDir(), "m"), from, nil, testConfig())
	wantRefused(t, err, "plan 1 differs: seed 7, now 8")
}

// rowsOnly is what is left of a campaign in a table: no files.
type rowsOnly struct{ record.Source }

func (s rowsOnly) Attempts() iter.Seq2[*record.Attempt, error] {
	return func(yield func(*record.Attempt, error) bool) {
		for a, err := range s.Source.Attempts() {
			if a != nil {
				a.Files = nil
				a.Start.Attempt = 3 // the table tells of the last attempt only
			}
			if !yield(a, err) {
				return
			}
		}
	}
}

func TestCampaignIsRestoredFromItsRows(t *testing.T) {
	plan := testPlan(3, 1)
	runs := runsOf(plan)
	from := readDir(t, shard(t, plan, func(r engine.Run) bool { return r.Rank < 2 }))
	dir := t.TempDir()
	must(t, os.WriteFile(filepath.Join(dir, "runs.parquet"), nil, 0o600))
	if !NeedsRestore(dir) {
		t.Error("a directory with a table alone needs no restore")
	}
	cut := failingSource{rowsOnly{from}}
	if _, err := Restore(dir, cut, testConfig()); !errors.Is(err, errCut) {
		t.Fatalf("restore from a source that fails: %v", err)
	}
	if _, err := Open(dir, testConfig()); err == nil || !NeedsRestore(dir) {
		t.Fatalf("half a restore was opened: %v", err)
	}
	c, err := Restore(dir, rowsOnly{from}, testConfig())
	must(t, err)
	for _, run := range runs[:2] {
		if got := c.State(run.ID); got.Status != engine.OK || got.Attempts != 3 {
			t.Errorf("restored as %+v", got)
		}
	}
	must(t, goOn(c, plan, ignore))
	must(t, c.Close())
	if NeedsRestore(dir) {
		t.Error("needs to be restored again")
	}
	results, err := readDir(t, dir).Results(runs[0].ID)
	must(t, err)
	if !reflect.DeepEqual(results, doneOf(runs[0]).Results) {
		t.Errorf("results: %v", results)
	}
}

var errCut = errors.New("cut")

// failingSource fails after its first attempt.
type failingSource struct{ record.Source }

func (s failingSource) Attempts() iter.Seq2[*record.Attempt, error] {
	return func(yield func(*record.Attempt, error) bool) {
		for a, err := range s.Source.Attempts() {
			if yield(a, err) {
				yield(nil, errCut)
			}
			return
		}
	}
}

func wantRefused(t *testing.T, err error, what string) {
	t.Helper()
	var refused *RefusedError
	if !errors.As(err, &refused) || !strings.Contains(refused.Error(), what) || refused.Hint() == "" {
		t.Errorf("want a refusal with %q, got %v", what, err)
	}
}
