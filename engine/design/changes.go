package design

import (
	"fmt"
	"slices"

	"mpf/engine"
)

// A Change is one thing that an edit did to an experiment.
type Change struct {
	Kind string // "space", "step", "result" or "identity"
	Text string // `variable "parallel": level "16" is new`
	Pos  engine.Pos
}

// The kinds of a change. A change of the identity makes another experiment,
// whose runs have other IDs; of a step, makes results that may not be
// comparable; of a result's type, makes another table.
const (
	ChangedSpace    = "space"
	ChangedStep     = "step"
	ChangedResult   = "result"
	ChangedIdentity = "identity"
)

// Changes lists what differs between two plans of an experiment, in order of
// declaration. The old one may lack its functions: steps are told apart by
// role, name and digest. What an exclusion excludes cannot be told; Compare
// shows what it does to the runs.
func Changes(old, new *engine.Experiment) []Change {
	c := &changes{}
	if old.Name != new.Name {
		c.add(ChangedIdentity, engine.Pos{}, "experiment %q was %q", new.Name, old.Name)
	}
	if old.Seed != new.Seed {
		c.add(ChangedIdentity, engine.Pos{}, "seed = %d was %d", new.Seed, old.Seed)
	}
	if old.Replicates != new.Replicates {
		c.add(ChangedSpace, engine.Pos{}, "replicates = %d were %d", new.Replicates, old.Replicates)
	}
	if old.Order != new.Order {
		c.add(ChangedSpace, engine.Pos{}, "order = %q was %q", new.Order, old.Order)
	}
	c.variables(old, new)
	c.rules(old, new)
	c.results(old, new)
	c.steps(old, new)
	return c.list
}

type changes struct{ list []Change }

func (c *changes) add(kind string, pos engine.Pos, format string, args ...any) {
	c.list = append(c.list, Change{kind, fmt.Sprintf(format, args...), pos})
}

func (c *changes) variables(old, new *engine.Experiment) {
	for _, v := range new.Variables {
		i := slices.IndexFunc(old.Variables, func(o engine.Variable) bool { return o.Name == v.Name })
		if i < 0 {
			c.add(ChangedSpace, v.Pos, "variable %q is new", v.Name)
			continue
		}
		c.levels(old.Variables[i], v)
		if !slices.Equal(conditions(old.Variables, i), conditions(new.Variables, slices.IndexFunc(new.Variables, func(o engine.Variable) bool { return o.Name == v.Name }))) {
			c.add(ChangedSpace, v.Pos, "variable %q: its when is another", v.Name)
		}
		if old.Variables[i].HardToChange != v.HardToChange {
			c.add(ChangedSpace, v.Pos, "variable %q: hard_to_change = %v", v.Name, v.HardToChange)
		}
	}
	for _, o := range old.Variables {
		if !slices.ContainsFunc(new.Variables, func(v engine.Variable) bool { return v.Name == o.Name }) {
			c.add(ChangedSpace, engine.Pos{}, "variable %q is gone", o.Name)
		}
	}
}

func (c *changes) levels(old, new engine.Variable) {
	var kept []int
	for _, l := range new.Levels {
		at := levelLike(old, l)
		if at == engine.Absent {
			c.add(ChangedSpace, new.Pos, "variable %q: level %q is new%s", new.Name, l.Label, formerly(old, l))
			continue
		}
		kept = append(kept, at)
	}
	for _, l := range old.Levels {
		if levelLike(new, l) == engine.Absent {
			c.add(ChangedSpace, new.Pos, "variable %q: level %q is gone", new.Name, l.Label)
		}
	}
	if !slices.IsSorted(kept) {
		c.add(ChangedSpace, new.Pos, "variable %q: its levels are in another order, which moves no run", new.Name)
	}
}

// formerly tells a level that kept its label or its value from one that is
// altogether new.
func formerly(old engine.Variable, l engine.Level) string {
	for _, o := range old.Levels {
		switch {
		case o.Label == l.Label:
			return ": the label had another value"
		case engine.IsPlain(l.Value) && sameValue(engine.Level{Value: o.Value}, engine.Level{Value: l.Value}):
			return fmt.Sprintf(": its value was labelled %q", o.Label)
		}
	}
	return ""
}

// conditions writes when in names and labels, which do not depend on where
// things stand.
func conditions(vars []engine.Variable, i int) (words []string) {
	return whenWords(vars, vars[i].When)
}

func whenWords(vars []engine.Variable, when []engine.Condition) (words []string) {
	for _, when := range when {
		parent := vars[when.Variable]
		var labels []string
		for _, level := range when.Levels {
			labels = append(labels, parent.Levels[level].Label)
		}
		slices.Sort(labels)
		words = append(words, fmt.Sprintf("%s %q", parent.Name, labels))
	}
	slices.Sort(words)
	return words
}

func (c *changes) rules(old, new *engine.Experiment) {
	if len(old.Exclusions) != len(new.Exclusions) {
		c.add(ChangedSpace, engine.Pos{}, "%d exclude were %d", len(new.Exclusions), len(old.Exclusions))
	}
	if !slices.Equal(linkWords(old), linkWords(new)) {
		c.add(ChangedSpace, engine.Pos{}, "linked variables or their rows are others")
	}
	if partialWords(old) != partialWords(new) {
		c.add(ChangedSpace, engine.Pos{}, "%s was %s", partialWords(new), partialWords(old))
	}
	if a, b := repeatWords(old), repeatWords(new); !slices.Equal(a, b) {
		c.add(ChangedSpace, engine.Pos{}, "replicates %q were %q", b, a)
	}
	if a, b := stoppingWords(old), stoppingWords(new); !slices.Equal(a, b) {
		c.add(ChangedSpace, engine.Pos{}, "stopping rules %v were %v", b, a)
	}
}

func linkWords(e *engine.Experiment) (words []string) {
	for _, link := range e.Links {
		for _, row := range link.Rows {
			word := ""
			for i, v := range link.Variables {
				word += fmt.Sprintf("%s=%s ", e.Variables[v].Name, e.Variables[v].Levels[row[i]].Label)
			}
			words = append(words, word)
		}
	}
	slices.Sort(words)
	return words
}

func partialWords(e *engine.Experiment) string {
	if e.Partial == nil {
		return "the whole space"
	}
	return fmt.Sprintf("sample(%d, %q)", e.Partial.N, e.Partial.Method)
}

func repeatWords(e *engine.Experiment) (words []string) {
	for _, r := range e.Repeats {
		words = append(words, fmt.Sprintf("%d where %v", r.Replicates, whenWords(e.Variables, r.When)))
	}
	return words
}

func stoppingWords(e *engine.Experiment) (words []string) {
	for _, s := range e.Stopping {
		words = append(words, fmt.Sprintf("until(%q, ci = %g, min = %d, max = %d)", s.Result, s.CI, s.Min, s.Max))
	}
	return words
}

func (c *changes) results(old, new *engine.Experiment) {
	for _, r := range new.Results {
		for _, o := range old.Results {
			if o.Name == r.Name && o.Type != r.Type {
				c.add(ChangedResult, r.Pos, "result %q: type %s was %s", r.Name, r.Type, o.Type)
			}
		}
	}
}

// steps compares the code of steps, setup and cleanup by role and name.
func (c *changes) steps(old, new *engine.Experiment) {
	before, after := stepsOf(old), stepsOf(new)
	for _, s := range after {
		i := slices.IndexFunc(before, func(o namedStep) bool { return o.words == s.words })
		switch {
		case i < 0:
			c.add(ChangedStep, s.Pos, "%s is new", s.words)
		case before[i].Digest != s.Digest:
			c.add(ChangedStep, s.Pos, "%s has other code", s.words)
		}
	}
	for _, o := range before {
		if !slices.ContainsFunc(after, func(s namedStep) bool { return s.words == o.words }) {
			c.add(ChangedStep, engine.Pos{}, "%s is gone", o.words)
		}
	}
}

type namedStep struct {
	engine.Step
	words string
}

func stepsOf(e *engine.Experiment) (all []namedStep) {
	count := map[string]int{}
	add := func(kind, role string, s engine.Step) {
		words := fmt.Sprintf("%s %q of role %q", kind, s.Name, role)
		if count[words]++; count[words] > 1 {
			words += fmt.Sprintf(" (%d)", count[words])
		}
		all = append(all, namedStep{s, words})
	}
	for _, role := range e.Roles {
		for _, s := range role.Setup {
			add("setup", role.Name, s)
		}
	}
	for _, stage := range e.Timeline {
		for _, s := range stage {
			add("step", roleOf(e, s), s)
		}
	}
	for _, role := range e.Roles {
		for _, s := range role.Cleanup {
			add("cleanup", role.Name, s)
		}
	}
	return all
}

// roleOf names the role of a step, or the variable or link that chooses it.
func roleOf(e *engine.Experiment, s engine.Step) string {
	switch {
	case s.RoleFrom != "":
		return s.RoleFrom
	case s.LinkFrom != "":
		return s.LinkFrom
	case s.Link != "":
		return s.Link
	case s.Role >= 0 && s.Role < len(e.Roles):
		return e.Roles[s.Role].Name
	}
	return ""
}
