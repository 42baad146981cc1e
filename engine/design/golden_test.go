package design

import (
	"flag"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/engine/enginetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

// golden are ten designs of every kind. Their order is a promise to whoever
// repeats them: a file that changes here reorders campaigns.
func golden() map[string]*engine.Experiment {
	plain := &engine.Experiment{Name: "plain", Seed: 1, Replicates: 6, Variables: []engine.Variable{variable("a", 4), variable("b", 3)}}
	designs := map[string]*engine.Experiment{
		"none":        {Name: "none", Seed: 1, Replicates: 6},
		"plain":       plain,
		"conditional": goodput(),
		"seed":        with(goodput(), func(e *engine.Experiment) { e.Seed = -7 }),
		"declared":    with(goodput(), func(e *engine.Experiment) { e.Order = engine.Declared }),
		"linked": with(plain, func(e *engine.Experiment) {
			e.Links = []engine.Linked{{Variables: []int{0, 1}, Rows: [][]int{{0, 1}, {1, 2}, {2, 0}, {3, 1}, {3, 2}}}}
		}),
		"hard":  hard(),
		"large": {Name: "large", Seed: 1, Replicates: 6},
		"pairwise": with(goodput(), func(e *engine.Experiment) {
			e.Partial = &engine.Partial{Method: "pairwise"}
		}),
		"crossed": {Name: "crossed", Seed: 3, Replicates: 6},
	}
	for i := range 12 {
		designs["large"].Variables = append(designs["large"].Variables, variable(fmt.Sprintf("v%02d", i), 10))
		designs["crossed"].Variables = append(designs["crossed"].Variables, variable(fmt.Sprintf("v%02d", i), 10))
	}
	for i := range 6 { // far apart, so that the order of declaration is too wide
		designs["crossed"].Exclusions = append(designs["crossed"].Exclusions, engine.Exclusion{
			Variables: []int{i, i + 6}, Excludes: func(values []engine.Value) (bool, error) { return values[0] == values[1], nil }})
	}
	return designs
}

func with(e *engine.Experiment, change func(*engine.Experiment)) *engine.Experiment {
	changed := *e
	change(&changed)
	return &changed
}

// hard has two hard-to-change variables around a soft one, one of them under a
// condition.
func hard() *engine.Experiment {
	e := &engine.Experiment{Name: "hard", Seed: 5, Replicates: 6, Variables: []engine.Variable{
		variable("soft", 3), variable("kernel", 3), variable("module", 2, engine.Condition{Variable: 1, Levels: []int{0, 2}})}}
	e.Variables[1].HardToChange, e.Variables[2].HardToChange = true, true
	return e
}

func TestOrdersAreGolden(t *testing.T) {
	for name, e := range golden() {
		enginetest.Golden(t, filepath.Join("testdata", "order", name+".txt"), listing(must(t, e)), *update)
	}
}

// listing prints the ends of a design: the first runs of the first two blocks
// and the last ones of the last.
func listing(d *Design) string {
	n := int64(d.Treatments())
	var positions []int64
	for i := range min(n, 24) {
		positions = append(positions, i, n+i, d.Runs()-1-i)
	}
	slices.Sort(positions)
	var b strings.Builder
	fmt.Fprintf(&b, "%d treatments, %d runs\n", n, d.Runs())
	for _, p := range slices.Compact(positions) {
		run := d.Run(p)
		fmt.Fprintf(&b, "%d %d %v %s\n", run.Position, run.Block, run.ID, run.Treatment.Format(d.experiment.Variables))
	}
	return b.String()
}

// Whole plots: within a block, each level of the outer variable comes in one
// stretch, and so does each combination of both; the stretches and what is in
// them are shuffled anew in each block.
func TestHardVariablesAreWholePlots(t *testing.T) {
	d := must(t, hard())
	firsts := map[int]int{}
	for b := 1; b <= d.Blocks(); b++ {
		var outer, inner []string
		var soft []int
		for run := range d.Block(b) {
			outer = append(outer, fmt.Sprint(run.Treatment[1]))
			inner = append(inner, fmt.Sprint(run.Treatment[1:]))
			soft = append(soft, run.Treatment[0])
		}
		if s := stretches(outer); s != 3 {
			t.Errorf("block %d: %d stretches of the outer variable, want 3: %v", b, s, outer)
		}
		if s := stretches(inner); s != 5 {
			t.Errorf("block %d: %d plots, want 5: %v", b, s, inner)
		}
		firsts[d.Run(int64(b-1) * int64(d.Treatments())).Treatment[1]]++
		if slices.IsSorted(soft[:3]) && slices.IsSorted(soft[3:6]) && slices.IsSorted(soft[6:9]) && slices.IsSorted(soft[9:12]) {
			t.Errorf("block %d: not shuffled within plots: %v", b, soft)
		}
	}
	if len(firsts) < 2 {
		t.Errorf("every block begins with the same plot: %v", firsts)
	}
}

func stretches(words []string) int { return len(slices.Compact(words)) }

// A hard-to-change design of any kind is still a whole pass in every block, and
// positions and runs are each other's inverse.
func TestPlotsOfManyKinds(t *testing.T) {
	e := hard()
	for _, change := range []func(*engine.Experiment){
		func(e *engine.Experiment) {},
		func(e *engine.Experiment) { e.Partial = &engine.Partial{N: 9, Method: "latin"} },
		func(e *engine.Experiment) { e.Variables[0].HardToChange = true },
		func(e *engine.Experiment) {
			e.Links = []engine.Linked{{Variables: []int{0, 1}, Rows: [][]int{{0, 1}, {1, 2}, {2, 2}}}}
		},
	} {
		e := with(e, func(e *engine.Experiment) { e.Variables = slices.Clone(e.Variables) })
		change(e)
		d := must(t, e)
		for b := 1; b <= d.Blocks(); b++ {
			seen := map[uint64]bool{}
			for run := range d.Block(b) {
				found, ok := d.Find(run.Treatment, b)
				if !ok || found.Position != run.Position || seen[run.Rank] {
					t.Fatalf("%+v is found at %+v", run, found)
				}
				seen[run.Rank] = true
			}
			if uint64(len(seen)) != d.Treatments() {
				t.Fatalf("block %d holds %d of %d treatments", b, len(seen), d.Treatments())
			}
		}
	}
}
