package design

import (
	"fmt"
	"slices"
	"sync"
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

// A design is read from several goroutines while it is walked.
func TestDesignIsSafeToShare(t *testing.T) {
	for _, e := range []*engine.Experiment{hard(), adaptive(), goodput()} {
		d := must(t, e)
		var all sync.WaitGroup
		for range 4 {
			all.Go(func() {
				for b := 1; b <= d.Blocks(); b++ {
					for run := range d.Block(b) {
						d.Observe(run, engine.Results{{Name: "goodput", Value: 1.0}})
						if found, ok := d.Find(run.Treatment, b); !ok || found.ID != run.ID {
							t.Errorf("%+v is not found", run)
						}
					}
					d.EndBlock(b)
				}
			})
		}
		all.Wait()
	}
}

// What a run costs when a block is walked: its treatment and its ID.
func BenchmarkBlock(b *testing.B) {
	for _, name := range []string{"conditional", "hard", "large", "crossed"} {
		d := must(b, golden()[name])
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for left := b.N; left > 0; {
				for range d.Block(1) {
					if left--; left == 0 {
						break
					}
				}
			}
		})
	}
}

// What it costs to make a design, to find any run of it, and to take a part.
func BenchmarkDesign(b *testing.B) {
	large := golden()["crossed"]
	d := must(b, large)
	b.Run("new of 5e11", func(b *testing.B) {
		for b.Loop() {
			must(b, large)
		}
	})
	b.Run("run of 5e11", func(b *testing.B) {
		for i := int64(0); b.Loop(); i++ {
			d.Run(i * 7919)
		}
	})
	b.Run("only of 5e11", func(b *testing.B) {
		for b.Loop() {
			part, err := d.Restrict(Restriction{Only: []string{"v00=1,v01=2,v02=3,v03=4,v04=5,v05=6,v06=7,v07=8,v08=0"}})
			if err != nil {
				b.Fatal(err)
			}
			for range part.Block(1) {
				break
			}
		}
	})
}

// Passing over places leaves all other runs as they are, under a limit too.
func TestPlacesArePassedOver(t *testing.T) {
	e := &engine.Experiment{Name: "r", Replicates: 6, Repeats: []engine.Repeat{{Replicates: 3, When: []engine.Condition{{Variable: 0, Levels: []int{1}}}}},
		Variables: []engine.Variable{variable("a", 5), variable("b", 4, engine.Condition{Variable: 0, Levels: []int{1, 2}}), variable("c", 3)}}
	d := must(t, e)
	size := int64(d.Treatments())
	for _, r := range []Restriction{{}, {Limit: 100}, {Only: []string{"c=2"}}, {Shard: Shard{2, 3}, Limit: 31}} {
		part, err := d.Restrict(r)
		if err != nil {
			t.Fatal(err)
		}
		over := placesOfEveryThird(part, engine.PlaceRange{First: size, End: 2 * size})
		for b := 1; b <= part.Blocks(); b++ {
			var want, got []engine.RunID
			for run := range part.Block(b) {
				if !over.Has(run.Position) {
					want = append(want, run.ID)
				}
			}
			for run := range part.Without(b, over) {
				got = append(got, run.ID)
			}
			if !slices.Equal(got, want) {
				t.Errorf("%+v, block %d: %d runs, want %d", r, b, len(got), len(want))
			}
		}
	}
}

// placesOfEveryThird takes places that a part has, and all of some more.
func placesOfEveryThird(part *Design, more engine.PlaceRange) engine.Places {
	ranges := []engine.PlaceRange{more}
	for b := range part.Blocks() {
		for run := range part.Block(b + 1) {
			if run.Position%3 == 0 {
				ranges = append(ranges, engine.PlaceRange{First: run.Position, End: run.Position + 1})
			}
		}
	}
	return engine.NewPlaces(ranges)
}
