package main

import (
	"encoding/json"
	"math/big"

	"mpf/engine"
	"mpf/engine/design"
)

// plan counts an experiment and shows the order of its runs. Nothing runs.
func (p *program) plan(args []string) error {
	o := newOptions("plan FILE [flags]")
	var c choice
	c.register(o)
	c.registerCluster(o.FlagSet)
	asJSON := o.Bool("json", false, "print JSON, for programs")
	first := o.Int64("first", 5, "how many of the first and last runs to show")
	if err := o.parse(p, args, 1, 1); err != nil {
		return err
	}
	l, err := p.load(o.Arg(0), &c)
	if err != nil {
		return err
	}
	for _, w := range l.design.Warnings() {
		p.say.warn("%v", w)
	}
	if *asJSON {
		return p.planJSON(l, *first)
	}
	p.planText(l, *first)
	return nil
}

func (p *program) planText(l *loaded, show int64) {
	e, d := l.experiment, l.part
	p.say.print("%s: %s x %s = %s, seed %d\n", e.Name, count(d.Treatments(), "treatment"),
		count(d.Blocks(), "replicate"), count(d.Runs(), "run"), e.Seed)
	if d.Treatments() != l.design.Treatments() || d.Runs() != l.design.Runs() {
		p.say.print("  of the whole design's %s and %s\n", count(l.design.Treatments(), "treatment"), count(l.design.Runs(), "run"))
	}
	for _, v := range e.Variables {
		p.say.print("  %s\n", describe(e, v))
	}
	runs := firstRuns(d, show)
	p.say.print("first:\n")
	p.planRuns(e, runs)
	if last := lastRuns(l, show); len(last) > 0 {
		p.say.print("last:\n")
		p.planRuns(e, last)
	}
}

func (p *program) planRuns(e *engine.Experiment, runs []engine.Run) {
	for _, run := range runs {
		p.say.print("  %6d  %s  block %d  %s\n", run.Position+1, run.ID.String()[:8], run.Block, run.Treatment.Format(e.Variables))
	}
}

// describe prints a variable with its levels and the conditions under which it
// exists.
func describe(e *engine.Experiment, v engine.Variable) string {
	text := v.Name + ":"
	for i, level := range v.Levels {
		if i == 12 {
			text += " ... " + count(len(v.Levels), "level")
			break
		}
		text += " " + level.Label
	}
	if v.Unit != "" {
		text += " " + v.Unit
	}
	for i, c := range v.When {
		text += map[bool]string{true: "  when ", false: " and "}[i == 0] + e.Variables[c.Variable].Name + " is"
		for j, level := range c.Levels {
			text += map[bool]string{true: " ", false: " or "}[j == 0] + e.Variables[c.Variable].Levels[level].Label
		}
	}
	return text
}

func firstRuns(d *design.Design, n int64) []engine.Run {
	var runs []engine.Run
	for b := 1; b <= d.Blocks(); b++ {
		for run := range d.Block(b) {
			if int64(len(runs)) >= n {
				return runs
			}
			runs = append(runs, run)
		}
	}
	return runs
}

// lastRuns returns the last runs of a whole design that the first ones do not
// show already.
func lastRuns(l *loaded, n int64) []engine.Run {
	var runs []engine.Run
	if l.part.Runs() != l.design.Runs() {
		return nil
	}
	for i := max(l.design.Runs()-n, n); i < l.design.Runs(); i++ {
		runs = append(runs, l.design.Run(i))
	}
	return runs
}

type plannedJSON struct {
	Experiment string            `json:"experiment"`
	Seed       int64             `json:"seed"`
	Treatments uint64            `json:"treatments"`
	Space      *big.Int          `json:"space"`
	Replicates int               `json:"replicates"`
	Runs       int64             `json:"runs"`
	Order      engine.Order      `json:"order"`
	Variables  []plannedVariable `json:"variables"`
	Results    []string          `json:"results"`
	Roles      []string          `json:"roles"`
	First      []plannedRun      `json:"first"`
	Warnings   []string          `json:"warnings"`
}

type plannedVariable struct {
	Name   string              `json:"name"`
	Unit   string              `json:"unit,omitempty"`
	Levels []string            `json:"levels"`
	When   map[string][]string `json:"when,omitempty"`
}

type plannedRun struct {
	RunID     string            `json:"run_id"`
	Position  int64             `json:"position"`
	Block     int               `json:"block"`
	Replicate int               `json:"replicate"`
	Treatment map[string]string `json:"treatment"`
}

func (p *program) planJSON(l *loaded, show int64) error {
	e, d := l.experiment, l.part
	out := plannedJSON{
		Experiment: e.Name, Seed: e.Seed, Treatments: d.Treatments(), Space: l.design.Space().Big(),
		Replicates: d.Blocks(), Runs: d.Runs(), Order: e.Order,
		Variables: []plannedVariable{}, Results: []string{}, Roles: []string{}, First: []plannedRun{}, Warnings: []string{},
	}
	for _, v := range e.Variables {
		out.Variables = append(out.Variables, plannedVariableOf(e, v))
	}
	for _, r := range e.Results {
		out.Results = append(out.Results, r.Name)
	}
	for _, r := range e.Roles {
		out.Roles = append(out.Roles, r.Name)
	}
	for _, run := range firstRuns(d, show) {
		out.First = append(out.First, plannedRun{run.ID.String(), run.Position, run.Block, run.Replicate, labels(e, run.Treatment)})
	}
	for _, w := range l.design.Warnings() {
		out.Warnings = append(out.Warnings, w.Error())
	}
	encoder := json.NewEncoder(p.say.out)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}

func plannedVariableOf(e *engine.Experiment, v engine.Variable) plannedVariable {
	out := plannedVariable{Name: v.Name, Unit: v.Unit, Levels: []string{}}
	for _, level := range v.Levels {
		out.Levels = append(out.Levels, level.Label)
	}
	for _, c := range v.When {
		if out.When == nil {
			out.When = map[string][]string{}
		}
		parent := e.Variables[c.Variable]
		for _, level := range c.Levels {
			out.When[parent.Name] = append(out.When[parent.Name], parent.Levels[level].Label)
		}
	}
	return out
}

func labels(e *engine.Experiment, t engine.Treatment) map[string]string {
	m := map[string]string{}
	for i, v := range e.Variables {
		if t[i] != engine.Absent {
			m[v.Name] = t.Label(e.Variables, i)
		}
	}
	return m
}
