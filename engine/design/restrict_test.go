package design_test

import (
	"bytes"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/engine/design"
	"mpf/engine/design/draw"
)

func labelled(name string, labels ...string) engine.Variable {
	v := engine.Variable{Name: name}
	for _, label := range labels {
		v.Levels = append(v.Levels, engine.Level{Label: label, Value: label})
	}
	return v
}

func odd(t testing.TB) *design.Design {
	t.Helper()
	e := &engine.Experiment{Name: "odd", Seed: 1, Replicates: 6, Variables: []engine.Variable{
		labelled("list", "[1,2]", "[1", "2]", "x=y", ""), labelled("mode", "fast", "slow, but sure"), labelled("depth", "1", "2")}}
	e.Variables[2].When = []engine.Condition{{Variable: 1, Levels: []int{1}}}
	d, err := design.New(e)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestOnlyReadsAnyLabel(t *testing.T) {
	for _, c := range []struct {
		only []string
		want uint64
		err  string
	}{
		{[]string{"mode=fast"}, 5, ""},
		{[]string{"mode=fast,slow, but sure"}, 15, ""},
		{[]string{"list=[1,2]"}, 3, ""},
		{[]string{"list=[1,2],[1,x=y,mode=fast"}, 3, ""},
		{[]string{"mode=fast", "list=2]"}, 1, ""},
		{[]string{"depth=1"}, 5, ""},
		{[]string{"mode=fast", "depth=1"}, 0, `no treatment of the design has these levels together`},
		{[]string{"mod=fast"}, 0, `no variable "mod" (one of list, mode, depth)`},
		{[]string{"fast"}, 0, `no variable "fast"`},
		{[]string{"mode=quick,fast"}, 0, `"mode" has no level "quick" (one of fast, slow, but sure)`},
	} {
		part, err := odd(t).Restrict(design.Restriction{Only: c.only})
		switch {
		case c.err == "" && (err != nil || part.Treatments() != c.want):
			t.Errorf("%q: %v, want %d treatments", c.only, err, c.want)
		case c.err != "" && (err == nil || !strings.Contains(err.Error(), c.err)):
			t.Errorf("%q: error %v, want %q", c.only, err, c.err)
		}
	}
}

// What is written as CSV is read back as the same runs.
func TestTreatmentsAreReadBack(t *testing.T) {
	d := odd(t)
	part, err := d.Restrict(design.Restriction{Sample: 7})
	if err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := draw.CSV(&text, part); err != nil {
		t.Fatal(err)
	}
	treatments, err := d.ReadTreatments(&text)
	if err != nil {
		t.Fatal(err)
	}
	again, err := d.Restrict(design.Restriction{Listed: treatments})
	if err != nil || again.Runs() != part.Runs() {
		t.Fatalf("%d runs, %v, want %d", again.Runs(), err, part.Runs())
	}
	for b := range part.Blocks() {
		for run := range again.Block(b + 1) {
			if !part.Contains(run) {
				t.Errorf("%+v was not written", run)
			}
		}
	}
}

func TestTreatmentsThatAreNotInTheDesign(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "the head line: EOF",
		"list,mode\n":                       `no column "depth"`,
		"list,mode,depth\nx,fast,\n":        `line 2: variable "list" has no level "x"`,
		"list,mode,depth\n[1,fast,\n2],a\n": "wrong number of fields",
	} {
		if _, err := odd(t).ReadTreatments(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: error %v, want %q", text, err, want)
		}
	}
	d := odd(t)
	treatments, err := d.ReadTreatments(strings.NewReader("depth,list,mode\n1,[1,fast\n"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := d.Restrict(design.Restriction{Listed: treatments}); err == nil ||
		!strings.Contains(err.Error(), `variable "depth" does not exist there`) {
		t.Errorf("error %v", err)
	}
}
