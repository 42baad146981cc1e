package design

import (
	"fmt"
	"slices"

	"mpf/engine"
	"mpf/engine/space"
)

// repeats say how often each treatment is repeated.
type repeats struct {
	base  int // replicates of an experiment, or the cap of its stopping rules
	rules []engine.Repeat
}

func newRepeats(e *engine.Experiment) (repeats, error) {
	r := repeats{e.Replicates, e.Repeats}
	for i, s := range e.Stopping {
		if i == 0 {
			r.base = 0
		}
		r.base = max(r.base, s.Max)
	}
	if r.base < 1 {
		return r, engine.Mistakes{{Message: fmt.Sprintf("experiment %q: %d replicates", e.Name, r.base), Hint: "replicates = 1 at least"}}
	}
	var found engine.Mistakes
	for _, rule := range r.rules {
		if rule.Replicates < 1 {
			found = append(found, engine.Mistake{Pos: rule.Pos, Message: fmt.Sprintf("replicates: %d replicates", rule.Replicates),
				Hint: "1 at least; to leave treatments out, use exclude"})
		}
		if len(e.Stopping) > 0 {
			found = append(found, engine.Mistake{Pos: rule.Pos, Message: "replicates: until decides on replicates already",
				Hint: "take one of the two out"})
		}
		for _, c := range rule.When {
			if c.Variable < 0 || c.Variable >= len(e.Variables) {
				found = append(found, engine.Mistake{Pos: rule.Pos, Message: "replicates: names a variable that is not declared"})
			}
		}
	}
	return r, found.Err()
}

// of returns the number of replicates of a treatment.
func (r repeats) of(t engine.Treatment) int {
	for _, rule := range slices.Backward(r.rules) {
		if all(rule.When, t) {
			return rule.Replicates
		}
	}
	return r.base
}

func all(when []engine.Condition, t engine.Treatment) bool {
	for _, c := range when {
		if !slices.Contains(c.Levels, t[c.Variable]) {
			return false
		}
	}
	return true
}

// most returns the largest number of replicates that is asked for.
func (r repeats) most() int {
	most := r.base
	for _, rule := range r.rules {
		most = max(most, rule.Replicates)
	}
	return most
}

// sizes returns how many treatments each block has, from block 1 on.
func (d *Design) sizes() (sizes []uint64, err error) {
	sizes = make([]uint64, d.repeats.most())
	for b := range sizes {
		sizes[b] = d.count
	}
	if len(d.repeats.rules) == 0 {
		return sizes, nil
	}
	if d.choice != nil {
		return d.countSizes(), nil
	}
	for b := range sizes {
		if b > 0 && !d.repeats.changesAt(b) {
			sizes[b] = sizes[b-1]
			continue
		}
		s, err := space.Compile(d.rulesOfBlock(b + 1))
		if err != nil {
			return nil, err
		}
		sizes[b], _ = s.Count()
	}
	return sizes, nil
}

// changesAt reports whether any treatment has exactly b replicates.
func (r repeats) changesAt(b int) bool {
	return r.base == b || slices.ContainsFunc(r.rules, func(rule engine.Repeat) bool { return rule.Replicates == b })
}

// countSizes counts the treatments of each block one by one.
func (d *Design) countSizes() []uint64 {
	sizes := make([]uint64, d.repeats.most())
	for _, t := range d.All() {
		for b := range d.repeats.of(t) {
			sizes[b]++
		}
	}
	return sizes
}

// rulesOfBlock are the rules of the space and one more: that a treatment has
// replicate b. The levels' values become their indices, to tell that by.
func (d *Design) rulesOfBlock(b int) space.Rules {
	e := d.experiment
	rules := space.RulesOf(e)
	rules.Variables = slices.Clone(e.Variables)
	for i, v := range rules.Variables {
		rules.Variables[i].Levels = slices.Clone(v.Levels)
		for level := range v.Levels {
			rules.Variables[i].Levels[level].Value = level
		}
	}
	rules.Exclusions = nil
	for _, x := range e.Exclusions {
		rules.Exclusions = append(rules.Exclusions, byIndex(e.Variables, x))
	}
	rules.Exclusions = append(rules.Exclusions, d.repeats.without(len(e.Variables), b))
	return rules
}

// byIndex is an exclusion that gets indices of levels for their values.
func byIndex(vars []engine.Variable, x engine.Exclusion) engine.Exclusion {
	excludes := x.Excludes
	x.Excludes = func(values []engine.Value) (bool, error) {
		real := make([]engine.Value, len(values))
		for i, v := range values {
			if level, ok := v.(int); ok {
				real[i] = vars[x.Variables[i]].Levels[level].Value
			}
		}
		return excludes(real)
	}
	return x
}

// without excludes the treatments that have no replicate b.
func (r repeats) without(variables, b int) engine.Exclusion {
	x := engine.Exclusion{}
	for _, rule := range r.rules {
		x.Pos = rule.Pos
		for _, c := range rule.When {
			if !slices.Contains(x.Variables, c.Variable) {
				x.Variables = append(x.Variables, c.Variable)
			}
		}
	}
	x.Excludes = func(values []engine.Value) (bool, error) {
		t := make(engine.Treatment, variables)
		for i, v := range values {
			t[x.Variables[i]] = engine.Absent
			if level, ok := v.(int); ok {
				t[x.Variables[i]] = level
			}
		}
		return r.of(t) < b, nil
	}
	return x
}
