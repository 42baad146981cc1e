package design

import (
	"fmt"
	"slices"
	"testing"

	"mpf/engine"
)

// variable declares one whose levels are numbers from 0.
func variable(name string, levels int, when ...engine.Condition) engine.Variable {
	v := engine.Variable{Name: name, When: when}
	for i := range levels {
		v.Levels = append(v.Levels, engine.Level{Label: fmt.Sprint(i), Value: int64(i)})
	}
	return v
}

// goodput is the experiment that the documents show: 20 treatments.
func goodput() *engine.Experiment {
	return &engine.Experiment{
		Name: "iperf", Seed: 42, Replicates: 6, Order: engine.Randomised,
		Variables: []engine.Variable{
			{Name: "variant", Levels: []engine.Level{{Label: "tcp", Value: "tcp"}, {Label: "mptcp", Value: "mptcp"}}},
			{Name: "scheduler", Levels: []engine.Level{{Label: "minrtt", Value: "minrtt"}, {Label: "redundant", Value: "redundant"}},
				When: []engine.Condition{{Variable: 0, Levels: []int{1}}}},
			{Name: "parallel", Levels: []engine.Level{{Label: "1", Value: int64(1)}, {Label: "2", Value: int64(2)}, {Label: "4", Value: int64(4)}, {Label: "8", Value: int64(8)}}},
			{Name: "zerocopy", Levels: []engine.Level{{Label: "off"}, {Label: "on", Value: "-Z"}}},
		},
		Exclusions: []engine.Exclusion{{Variables: []int{0, 2}, Excludes: func(values []engine.Value) (bool, error) {
			return values[0] == "mptcp" && values[1].(int64) > 4, nil
		}}},
	}
}

func must(t testing.TB, e *engine.Experiment) *Design {
	t.Helper()
	d, err := New(e)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestBlockIsAWholePassInAnOrderOfItsOwn(t *testing.T) {
	d := must(t, goodput())
	if d.Treatments() != 20 || d.Runs() != 120 || d.Blocks() != 6 {
		t.Fatalf("%d treatments, %d runs, %d blocks", d.Treatments(), d.Runs(), d.Blocks())
	}
	ids := map[engine.RunID]bool{}
	orders := map[string]bool{}
	position := int64(0)
	for b := 1; b <= d.Blocks(); b++ {
		var ranks []uint64
		for run := range d.Block(b) {
			if run.Position != position || run.Block != b || run.Replicate != b || ids[run.ID] {
				t.Fatalf("run %+v at position %d", run, position)
			}
			if same := d.Run(position); same.ID != run.ID || !slices.Equal(same.Treatment, run.Treatment) {
				t.Fatalf("position %d holds %+v and %+v", position, run, same)
			}
			if found, ok := d.Find(run.Treatment, b); !ok || found.Position != position || found.ID != run.ID {
				t.Fatalf("found %+v, want %+v", found, run)
			}
			ids[run.ID] = true
			ranks = append(ranks, run.Rank)
			position++
		}
		orders[fmt.Sprint(ranks)] = true
		slices.Sort(ranks)
		if len(slices.Compact(ranks)) != 20 {
			t.Fatalf("block %d holds %d treatments", b, len(ranks))
		}
	}
	if len(orders) != 6 {
		t.Errorf("%d orders in 6 blocks", len(orders))
	}
}

func TestNoVariableIsOneTreatment(t *testing.T) {
	d := must(t, &engine.Experiment{Name: "none", Replicates: 6})
	if d.Treatments() != 1 || d.Runs() != 6 {
		t.Errorf("%d treatments, %d runs", d.Treatments(), d.Runs())
	}
}

// The restrictions of a design keep the IDs, blocks and positions of the whole,
// and the shards of one together are the whole.
func TestRestrictionsKeepRunsAsTheyAre(t *testing.T) {
	e := &engine.Experiment{Name: "r", Replicates: 6, Variables: []engine.Variable{
		variable("a", 5), variable("b", 4, engine.Condition{Variable: 0, Levels: []int{1, 2}}), variable("c", 3)}}
	d := must(t, e)
	for _, r := range []Restriction{
		{Only: []string{"a=1,2", "c=0"}}, {Sample: 7}, {Limit: 40}, {Shard: Shard{1, 3}}, {Shard: Shard{3, 3}},
		{Only: []string{"c=2"}, Sample: 5, Shard: Shard{2, 2}, Limit: 9},
	} {
		part, err := d.Restrict(r)
		if err != nil {
			t.Fatalf("%+v: %v", r, err)
		}
		var last, runs int64 = -1, 0
		for b := range part.Blocks() {
			for run := range part.Block(b + 1) {
				whole := d.Run(run.Position)
				if run.Position <= last || run.ID != whole.ID || run.Block != whole.Block || !part.Contains(run) {
					t.Fatalf("%+v: %+v is not %+v", r, run, whole)
				}
				last, runs = run.Position, runs+1
			}
		}
		if runs != part.Runs() || runs == 0 {
			t.Errorf("%+v: %d runs, want %d", r, runs, part.Runs())
		}
	}
}
