package design

import (
	"slices"
	"strings"
	"testing"

	"mpf/engine"
)

// repeated has 3 x 2 treatments of which some run more often, and some less.
func repeated() *engine.Experiment {
	return &engine.Experiment{Name: "repeated", Seed: 1, Replicates: 7,
		Variables: []engine.Variable{variable("a", 3), variable("b", 2)},
		Repeats: []engine.Repeat{
			{When: []engine.Condition{{Variable: 0, Levels: []int{1, 2}}}, Replicates: 6},
			{When: []engine.Condition{{Variable: 0, Levels: []int{2}}, {Variable: 1, Levels: []int{0}}}, Replicates: 9},
		},
		Exclusions: []engine.Exclusion{{Variables: []int{0, 1}, Excludes: func(v []engine.Value) (bool, error) {
			return v[0] == int64(0) && v[1] == int64(1), nil
		}}}}
}

// Treatments have the replicates that their last rule gives them, and the runs
// are counted exactly, in parts too.
func TestTreatmentsAreRepeatedAsTheirRulesSay(t *testing.T) {
	for name, change := range map[string]func(*engine.Experiment){
		"whole":  func(*engine.Experiment) {},
		"sample": func(e *engine.Experiment) { e.Partial = &engine.Partial{N: 5, Method: "latin"} },
	} {
		d := must(t, with(repeated(), change))
		if d.Blocks() != 9 || d.Runs() != 7+6+6+9+6 {
			t.Fatalf("%s: %d blocks, %d runs", name, d.Blocks(), d.Runs())
		}
		for _, r := range []Restriction{{}, {Only: []string{"a=2"}}, {Sample: 3}, {Limit: 31}, {Shard: Shard{2, 2}}} {
			part, err := d.Restrict(r)
			if err != nil {
				t.Fatal(err)
			}
			checkRepeats(t, part)
		}
	}
}

func checkRepeats(t *testing.T, d *Design) {
	t.Helper()
	last, runs := int64(-1), int64(0)
	for b := 1; b <= d.Blocks(); b++ {
		for run := range d.Block(b) {
			want := []int{7, 6, 6}[run.Treatment[0]]
			if run.Treatment[0] == 2 && run.Treatment[1] == 0 {
				want = 9
			}
			found, ok := d.Find(run.Treatment, b)
			if run.Replicate > want || run.Position <= last || !ok || found.ID != run.ID || !d.Contains(run) {
				t.Fatalf("%+v after %d, found %v", run, last, ok)
			}
			last, runs = run.Position, runs+1
		}
	}
	if runs != d.Runs() {
		t.Errorf("%d runs, want %d", runs, d.Runs())
	}
}

func TestRepeatsOfALargeSpaceAreCounted(t *testing.T) {
	e := with(golden()["crossed"], func(e *engine.Experiment) {
		e.Repeats = []engine.Repeat{{When: []engine.Condition{{Variable: 3, Levels: []int{4}}}, Replicates: 8}}
	})
	d := must(t, e)
	n := int64(d.Treatments())
	if d.Blocks() != 8 || d.Runs() != 6*n+2*(n/10) {
		t.Errorf("%d blocks, %d runs of %d treatments", d.Blocks(), d.Runs(), n)
	}
}

func TestRepeatsAreChecked(t *testing.T) {
	e := repeated()
	e.Repeats[0].Replicates = 0
	if _, err := New(e); err == nil || !strings.Contains(err.Error(), "replicates: 0 replicates") {
		t.Error(err)
	}
	e.Repeats[0].Replicates = 3
	if d := must(t, e); !slices.ContainsFunc(d.Warnings(), func(m engine.Mistake) bool {
		return strings.Contains(m.Message, "replicates: 3 replicates: a 95 % interval of a median needs 6")
	}) {
		t.Error(d.Warnings())
	}
	e.Stopping = adaptive().Stopping
	if _, err := New(e); err == nil || !strings.Contains(err.Error(), "until decides on replicates already") {
		t.Error(err)
	}
}
