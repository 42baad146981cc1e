package design

import (
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"

	"mpf/engine"
)

// invent makes up an experiment of any kind that has few treatments.
func invent(random *rand.Rand) *engine.Experiment {
	e := &engine.Experiment{Name: "invented", Seed: random.Int64(), Replicates: 1 + random.IntN(4), Order: engine.Randomised}
	for i := range random.IntN(5) {
		v := variable(fmt.Sprintf("v%d", i), 1+random.IntN(4))
		if i > 0 && random.IntN(3) == 0 {
			v.When = []engine.Condition{{Variable: random.IntN(i), Levels: []int{0, 2}}}
			v.When[0].Levels = v.When[0].Levels[:1+min(1, len(e.Variables[v.When[0].Variable].Levels)/3)]
		}
		v.HardToChange = random.IntN(5) == 0
		e.Variables = append(e.Variables, v)
	}
	if n := len(e.Variables); n > 1 && random.IntN(3) == 0 {
		e.Exclusions = []engine.Exclusion{{Variables: []int{0, n - 1}, Excludes: func(v []engine.Value) (bool, error) {
			return v[0] == v[1], nil
		}}}
	}
	switch random.IntN(6) {
	case 0:
		e.Order = engine.Declared
	case 1:
		e.Partial = &engine.Partial{N: 1 + random.Int64N(4), Method: "latin"}
	case 2:
		e.Partial = &engine.Partial{Method: "pairwise"}
	case 3:
		if len(e.Variables) > 0 {
			e.Repeats = []engine.Repeat{{When: []engine.Condition{{Variable: 0, Levels: []int{0}}}, Replicates: 1 + random.IntN(6)}}
		}
	}
	return e
}

// Whatever the experiment: each block holds each of its treatments once, runs
// are found by position and by treatment, and the shards of any part of it are
// that part.
func TestDesignsOfEveryKind(t *testing.T) {
	made := 0
	for seed := range uint64(600) {
		random := rand.New(rand.NewPCG(seed, 5))
		d, err := New(invent(random))
		if err != nil {
			continue // nothing is left, or less than the sample asks for
		}
		made++
		whole := listed(t, d)
		if int64(len(whole)) != d.Runs() {
			t.Fatalf("seed %d: %d runs, want %d", seed, len(whole), d.Runs())
		}
		r := Restriction{Sample: uint64(random.IntN(4))}
		if len(d.experiment.Variables) > 0 && random.IntN(2) == 0 {
			r.Only = []string{"v0=0"}
		}
		part, err := d.Restrict(r)
		if err != nil {
			continue
		}
		shards := 1 + random.IntN(4)
		left := listed(t, part)
		for i := range shards {
			shard, err := part.Restrict(Restriction{Shard: Shard{i + 1, shards}})
			if err != nil {
				t.Fatal(err)
			}
			for position := range listed(t, shard) {
				if !left[position] {
					t.Fatalf("seed %d: position %d is in two shards, or not in the part", seed, position)
				}
				delete(left, position)
			}
		}
		if len(left) > 0 {
			t.Fatalf("seed %d: %d runs are in no shard", seed, len(left))
		}
	}
	if made < 450 {
		t.Errorf("only %d designs", made)
	}
}

// The order is that of the seed, whatever number of processors and however many
// walk over it at once.
func TestOrderDoesNotDependOnProcessors(t *testing.T) {
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	for seed := range uint64(100) {
		orders := map[string]bool{}
		for _, processors := range []int{1, 8} {
			runtime.GOMAXPROCS(processors)
			d, err := New(invent(rand.New(rand.NewPCG(seed, 5))))
			if err != nil {
				continue
			}
			walks := make([]string, processors)
			var walkers sync.WaitGroup
			for i := range walks {
				walkers.Go(func() { walks[i] = listing(d) })
			}
			walkers.Wait()
			for _, walk := range walks {
				orders[walk] = true
			}
		}
		if len(orders) > 1 {
			t.Errorf("seed %d: %d orders", seed, len(orders))
		}
	}
}

// listed returns the positions of a design and checks each run on the way.
func listed(t *testing.T, d *Design) map[int64]bool {
	t.Helper()
	positions := map[int64]bool{}
	last := int64(-1)
	for b := 1; b <= d.Blocks(); b++ {
		ranks := map[uint64]bool{}
		for run := range d.Block(b) {
			found, ok := d.Find(run.Treatment, b)
			switch {
			case ranks[run.Rank] || run.Position <= last || run.Block != b || !d.Contains(run):
				t.Fatalf("%+v after position %d", run, last)
			case !ok || found.Position != run.Position || d.Run(run.Position).ID != run.ID:
				t.Fatalf("%+v is found as %+v", run, found)
			}
			ranks[run.Rank], positions[run.Position], last = true, true, run.Position
		}
	}
	return positions
}
