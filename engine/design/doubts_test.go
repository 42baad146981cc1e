package design

import (
	"strings"
	"testing"

	"mpf/engine"
)

func TestDoubtsAreSaidWhereTheyArise(t *testing.T) {
	e := goodput()
	e.Replicates = 5
	e.Exclusions[0].Pos = engine.Pos{File: "x.star", Line: 5, Col: 8} // more than the next one leaves to it
	e.Variables[2].Pos = engine.Pos{File: "x.star", Line: 3, Col: 9}
	e.Exclusions = append(e.Exclusions,
		engine.Exclusion{Variables: []int{2}, Excludes: func(v []engine.Value) (bool, error) { return v[0] == int64(8), nil }},
		engine.Exclusion{Variables: []int{0}, Pos: engine.Pos{File: "x.star", Line: 7, Col: 8},
			Excludes: func(v []engine.Value) (bool, error) { return v[0] == "TCP", nil }})
	var got []string
	for _, m := range must(t, e).Warnings() {
		got = append(got, m.Error())
	}
	want := []string{
		`x.star:3:9: variable "parallel": level "8" never occurs: the rules exclude it everywhere (take the level out, or narrow the rule)`,
		`x.star:5:8: exclude: excludes nothing that the other rules leave (it compares values, which may be others than their labels)`,
		`x.star:7:8: exclude: excludes nothing that the other rules leave (it compares values, which may be others than their labels)`,
		`5 replicates: a 95 % interval of a median needs 6 (replicates = 6)`,
	}
	if strings.Join(got, "\n") != strings.Join(want, "\n") {
		t.Errorf("doubts:\n%s\nwant:\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
}

func TestDesignsThatCannotBe(t *testing.T) {
	empty := goodput()
	empty.Exclusions[0].Excludes = func([]engine.Value) (bool, error) { return true, nil }
	large := &engine.Experiment{Name: "large", Replicates: 6}
	for range 19 {
		large.Variables = append(large.Variables, variable(strings.Repeat("v", 1+len(large.Variables)), 10))
	}
	for _, c := range []struct {
		e    *engine.Experiment
		want string
	}{
		{empty, "no treatment is left: the rules exclude them all"},
		{large, `experiment "large": 10000000000000000000 treatments in 6 replicates are more runs than can be numbered (9223372036854775807) (take part of the space: sample(1000, "random"))`},
		{&engine.Experiment{Name: "x"}, `experiment "x": 0 replicates`},
	} {
		if _, err := New(c.e); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("error %v, want %q", err, c.want)
		}
	}
	large.Partial = &engine.Partial{N: 1000, Method: "random"}
	if d, err := New(large); err != nil || d.Runs() != 6000 {
		t.Errorf("part of it: %v", err)
	}
}
