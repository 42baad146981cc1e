package design

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/engine/order"
)

// adaptive measures "steady" treatments, which need the least, and "noisy"
// ones, which reach the cap.
func adaptive() *engine.Experiment {
	return &engine.Experiment{Name: "adaptive", Seed: 9, Replicates: 6,
		Variables: []engine.Variable{variable("noise", 3), variable("other", 2)},
		Stopping:  []engine.Stopping{{Result: "goodput", CI: 0.05, Min: 6, Max: 20}}}
}

// measure gives the result of a run: around 100, spread by the level of noise.
func measure(run engine.Run) engine.Results {
	random := order.NewRandom(order.KeyOf("measure", uint64(run.Position)))
	spread := []float64{0, 8, 100}[run.Treatment[0]]
	return engine.Results{{Name: "goodput", Value: 100 + spread*(float64(random.Below(1000))/1000-0.5)}}
}

func TestTreatmentsDropOutWhenTheirIntervalIsNarrow(t *testing.T) {
	d := must(t, adaptive())
	if d.Blocks() != 20 || d.Runs() != 120 {
		t.Fatalf("%d blocks, %d runs", d.Blocks(), d.Runs())
	}
	ended := map[int][]int{} // blocks by level of noise
	reasons := ""
	for b := 1; b <= d.Blocks(); b++ {
		for run := range d.Block(b) {
			d.Observe(run, measure(run))
		}
		for _, decision := range d.EndBlock(b) {
			ended[decision.Treatment[0]] = append(ended[decision.Treatment[0]], decision.Block)
			reasons += decision.Rule + ": " + decision.Reason + "\n"
		}
	}
	t.Log(reasons)
	if !slices.Equal(ended[0], []int{6, 6}) || !slices.Equal(ended[2], []int{20, 20}) || len(ended[1]) != 2 || ended[1][0] >= 20 {
		t.Errorf("ended in blocks %v", ended)
	}
	for _, want := range []string{
		`until "goodput": narrow enough: 95 % interval of the median is ±0 % of 100 after 6 results, asked for ±5 %`,
		"capped at 20 replicates: 95 % interval",
	} {
		if !strings.Contains(reasons, want) {
			t.Errorf("no reason says %q", want)
		}
	}
}

// A campaign that is continued after any block, and knows all results at once,
// decides as one that never stopped.
func TestDecisionsDoNotDependOnWhenTheyAreMade(t *testing.T) {
	whole := must(t, adaptive())
	var runs []engine.Run
	var want []string
	for b := 1; b <= whole.Blocks(); b++ {
		for run := range whole.Block(b) {
			runs = append(runs, run)
			whole.Observe(run, measure(run))
		}
		want = append(want, fmt.Sprintf("%+v", whole.EndBlock(b)))
	}
	again := must(t, adaptive())
	for _, run := range slices.Backward(runs) {
		again.Observe(run, measure(run))
	}
	for b := 1; b <= again.Blocks(); b++ {
		if got := fmt.Sprintf("%+v", again.EndBlock(b)); got != want[b-1] {
			t.Errorf("block %d: %s, want %s", b, got, want[b-1])
		}
	}
}

func TestSettledTreatmentsMoveNoPosition(t *testing.T) {
	d := must(t, adaptive())
	before := map[engine.RunID]int64{}
	for run := range d.Block(3) {
		before[run.ID] = run.Position
	}
	d.Settle(engine.Decision{Rank: 2, Block: 2})
	after := map[engine.RunID]int64{}
	for run := range d.Block(3) {
		if run.Rank == 2 {
			t.Error("a settled treatment runs")
		}
		after[run.ID] = run.Position
	}
	maps.DeleteFunc(before, func(id engine.RunID, _ int64) bool { _, ok := after[id]; return !ok })
	if len(after) != 5 || !maps.Equal(before, after) {
		t.Errorf("positions %v, want %v", after, before)
	}
	n := 0
	for range d.Block(2) {
		n++
	}
	if n != 6 {
		t.Errorf("%d runs in the block that settled it, want 6", n)
	}
}

// Ranks of the interval of the median, from tables of the sign test.
func TestMedianIntervalRanks(t *testing.T) {
	for n, want := range map[int]int{0: 0, 1: 0, 5: 0, 6: 1, 8: 1, 9: 2, 10: 2, 12: 3, 15: 4, 20: 6, 25: 8, 30: 10, 50: 18, 100: 40, 5000: 2431} {
		if got := outerRank(n); got != want {
			t.Errorf("n = %d: rank %d, want %d", n, got, want)
		}
	}
	i, ok := medianInterval([]float64{6, 1, 5, 2, 4, 3})
	if !ok || i != (interval{1, 3.5, 6}) || math.Abs(i.relativeHalfWidth()-2.5/3.5) > 1e-12 {
		t.Errorf("%+v, %v", i, ok)
	}
}

func TestStoppingRulesAreChecked(t *testing.T) {
	for _, c := range []struct {
		rule engine.Stopping
		want string
	}{
		{engine.Stopping{Result: "x", CI: 0.1, Min: 9, Max: 8}, `until "x": max = 8 is below min = 9`},
		{engine.Stopping{Result: "x", Min: 6, Max: 8}, `until "x": ci = 0 asks for an interval without width`},
		{engine.Stopping{Result: "host", CI: 0.1, Min: 6, Max: 8}, `until "host": its type is string, which has no median`},
	} {
		e := adaptive()
		e.Stopping = []engine.Stopping{c.rule}
		e.Results = []engine.ResultColumn{{Name: "host", Type: engine.String}}
		if _, err := New(e); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.rule, err, c.want)
		}
	}
}
