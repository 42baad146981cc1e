package design

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"testing"

	"mpf/engine"
)

// recorded gives the first n runs of a design as a campaign would have them.
func recorded(d *Design, n int64) iter.Seq[Recorded] {
	return func(yield func(Recorded) bool) {
		for i := range n {
			r := Recorded{d.experiment.Variables, d.Run(i)}
			if !yield(r) || i%5 == 0 && !yield(r) { // some in two attempts
				return
			}
		}
	}
}

// grid is 3 x 2 treatments, the second variable under a condition.
func grid() *engine.Experiment {
	return &engine.Experiment{Name: "grid", Seed: 1, Replicates: 6,
		Variables: []engine.Variable{variable("a", 3), variable("b", 2), variable("c", 2, engine.Condition{Variable: 0, Levels: []int{1}})}}
}

func TestDifferenceAfterAnEdit(t *testing.T) {
	const runs = 48 // (2 + 1*2) * 2 treatments, 6 times
	for name, c := range map[string]struct {
		edit           func(*engine.Experiment)
		kept, new, out int64
		why            string
	}{
		"nothing":         {func(e *engine.Experiment) {}, runs, 0, 0, ""},
		"level added":     {func(e *engine.Experiment) { e.Variables[1] = variable("b", 3) }, runs, 24, 0, ""},
		"level removed":   {func(e *engine.Experiment) { e.Variables[1] = variable("b", 1) }, 24, 0, 24, `variable "b" has no level "1" any more`},
		"level reordered": {func(e *engine.Experiment) { slices.Reverse(e.Variables[1].Levels) }, runs, 0, 0, ""},
		"level renamed":   {func(e *engine.Experiment) { e.Variables[1].Levels[0].Label = "zero" }, 24, 24, 24, `variable "b" has no level "0" any more`},
		"replicates more": {func(e *engine.Experiment) { e.Replicates = 7 }, runs, 8, 0, ""},
		"replicates less": {func(e *engine.Experiment) { e.Replicates = 5 }, 40, 0, 8, "it is replicate 6, and there are 5 now"},
		"variable moved": {func(e *engine.Experiment) {
			e.Variables[0], e.Variables[1] = e.Variables[1], e.Variables[0]
			e.Variables[2].When = []engine.Condition{{Variable: 1, Levels: []int{1}}}
		}, runs, 0, 0, ""},
		"conditional variable added": {func(e *engine.Experiment) {
			e.Variables = append(e.Variables, variable("d", 2, engine.Condition{Variable: 0, Levels: []int{2}}))
		}, 36, 24, 12, `it has no level of variable "d"`},
		"variable added":   {func(e *engine.Experiment) { e.Variables = append(e.Variables, variable("d", 2)) }, 0, 96, runs, `it has no level of variable "d"`},
		"variable removed": {func(e *engine.Experiment) { e.Variables = e.Variables[:2] }, 24, 12, 24, `variable "c" is gone`},
		"excluded": {func(e *engine.Experiment) {
			e.Exclusions = []engine.Exclusion{{Variables: []int{0, 1}, Excludes: func(v []engine.Value) (bool, error) { return v[0] == v[1], nil }}}
		}, 30, 0, 18, "its treatment is excluded"},
		"another seed": {func(e *engine.Experiment) { e.Seed = 2 }, 0, runs, runs, "it is of another experiment or seed"},
	} {
		old := must(t, grid())
		e := grid()
		c.edit(e)
		diff := must(t, e).Compare(recorded(old, runs))
		if diff.Kept != c.kept || diff.New != c.new || int64(len(diff.Orphaned)) != c.out {
			t.Errorf("%s: %d kept, %d new, %d orphaned, want %d, %d, %d", name, diff.Kept, diff.New, len(diff.Orphaned), c.kept, c.new, c.out)
		}
		if c.out > 0 && !slices.ContainsFunc(diff.Orphaned, func(o Orphan) bool { return o.Why == c.why }) {
			t.Errorf("%s: no orphan says %q: %+v", name, c.why, diff.Orphaned[0])
		}
	}
}

func TestChangesAreNamed(t *testing.T) {
	step := func(name, digest string) engine.Step { return engine.Step{Name: name, Digest: digest} }
	old := grid()
	old.Roles = []engine.Role{{Name: "client", Setup: []engine.Step{step("prepare", "1")}}}
	old.Timeline = []engine.Stage{{step("serve", "1")}, {step("measure", "1")}}
	old.Results = []engine.ResultColumn{{Name: "goodput", Type: engine.Int}}
	e := grid()
	e.Roles = []engine.Role{{Name: "client", Setup: []engine.Step{step("prepare", "2")}, Cleanup: []engine.Step{step("tidy", "1")}}}
	e.Timeline = []engine.Stage{{step("measure", "3")}}
	e.Results = []engine.ResultColumn{{Name: "goodput", Type: engine.Float}}
	e.Seed, e.Replicates = 4, 10
	e.Partial = &engine.Partial{N: 4, Method: "random"}
	e.Variables = []engine.Variable{e.Variables[0], variable("b", 3), variable("d", 1)}
	e.Variables[1].Levels[0].Label = "zero"
	var got []string
	for _, c := range Changes(old, e) {
		got = append(got, c.Kind+": "+c.Text)
	}
	want := []string{
		`identity: seed = 4 was 1`,
		`space: replicates = 10 were 6`,
		`space: variable "b": level "zero" is new: its value was labelled "0"`,
		`space: variable "b": level "2" is new`,
		`space: variable "b": level "0" is gone`,
		`space: variable "d" is new`,
		`space: variable "c" is gone`,
		`space: sample(4, "random") was the whole space`,
		`result: result "goodput": type float was int`,
		`step: setup "prepare" of role "client" has other code`,
		`step: step "measure" of role "client" has other code`,
		`step: cleanup "tidy" of role "client" is new`,
		`step: step "serve" of role "client" is gone`,
	}
	if !slices.Equal(got, want) {
		t.Errorf("changes:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if same := Changes(old, old); len(same) != 0 {
		t.Errorf("changes of nothing: %v", same)
	}
}

func TestLookupFindsARunByItsID(t *testing.T) {
	d := must(t, grid())
	want := d.Run(29)
	found, all := d.Lookup(want.ID.String()[:12], 1000)
	if len(found) != 1 || !all || fmt.Sprint(found[0]) != fmt.Sprint(want) {
		t.Errorf("found %+v, %v, want %+v", found, all, want)
	}
	if _, all := d.Lookup("x", 47); all {
		t.Error("47 of 48 runs are all")
	}
}
