package draw

import (
	"errors"
	"flag"
	"path/filepath"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/engine/design"
	"mpf/engine/enginetest"
)

var update = flag.Bool("update", false, "write the golden files anew")

func levels(labels ...string) (all []engine.Level) {
	for _, label := range labels {
		all = append(all, engine.Level{Label: label, Value: label})
	}
	return all
}

// goodput is the experiment that the documents show.
func goodput() *engine.Experiment {
	return &engine.Experiment{
		Name: "iperf", Seed: 42, Replicates: 6,
		Variables: []engine.Variable{
			{Name: "variant", Levels: levels("tcp", "mptcp")},
			{Name: "scheduler", Levels: levels("minrtt", "redundant"), When: []engine.Condition{{Variable: 0, Levels: []int{1}}}},
			{Name: "parallel", Levels: levels("1", "2", "4", "8")},
			{Name: "zerocopy", Levels: levels("off", "on")},
		},
		Exclusions: []engine.Exclusion{{Variables: []int{0, 2}, Excludes: func(values []engine.Value) (bool, error) {
			return values[0] == "mptcp" && values[1] == "8", nil
		}}},
	}
}

func must(t *testing.T, e *engine.Experiment) *design.Design {
	t.Helper()
	d, err := design.New(e)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestDrawingsAreGolden(t *testing.T) {
	d := must(t, goodput())
	part, err := d.Restrict(design.Restriction{Only: []string{"parallel=1,2"}, Sample: 5, Limit: 8})
	if err != nil {
		t.Fatal(err)
	}
	drawings := map[string]func(*strings.Builder) error{
		"table":      func(b *strings.Builder) error { write(b, Table(d, 10)); return nil },
		"tree":       func(b *strings.Builder) error { return Tree(b, d.Space(), 100) },
		"tree-short": func(b *strings.Builder) error { return Tree(b, d.Space(), 2) },
		"balance":    func(b *strings.Builder) error { return balance(b, d) },
		"part":       func(b *strings.Builder) error { return balance(b, part) },
		"csv":        func(b *strings.Builder) error { return CSV(b, part) },
		"dot":        func(b *strings.Builder) error { return DOT(b, d.Space()) },
	}
	for name, draw := range drawings {
		var b strings.Builder
		if err := draw(&b); err != nil {
			t.Fatal(err)
		}
		enginetest.Golden(t, filepath.Join("testdata", name+".txt"), b.String(), *update)
	}
}

func write(b *strings.Builder, rows [][]string) {
	for _, row := range rows {
		b.WriteString(strings.Join(row, "\t") + "\n")
	}
}

func balance(b *strings.Builder, d *design.Design) error {
	rows, exact := Balance(d)
	if write(b, rows); !exact {
		return errors.New("not exact")
	}
	return nil
}

func TestLabelsStayOnTheirLine(t *testing.T) {
	e := &engine.Experiment{Name: "odd", Replicates: 6, Variables: []engine.Variable{
		{Name: "text", Levels: levels("two\nlines", "tab\tbed", "", "\x1b[31mred", `quote"d\`)}}}
	d := must(t, e)
	var b strings.Builder
	write(&b, Table(d, 5))
	if got := strings.Count(b.String(), "\n"); got != 6 || strings.ContainsRune(b.String(), 0x1b) {
		t.Errorf("%d lines:\n%q", got, b.String())
	}
}
