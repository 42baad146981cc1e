package space

import (
	"fmt"
	"slices"

	"mpf/engine"
)

// Rules say which treatments a space holds.
type Rules struct {
	Variables  []engine.Variable
	Links      []engine.Linked
	Exclusions []engine.Exclusion

	// First are variables that the ranks must follow before all others, in
	// this order. The variables that they hang on join them.
	First []int

	// Declared keeps the order of declaration whatever it costs.
	Declared bool
}

// RulesOf returns the rules that an experiment declares: hard-to-change
// variables come first, so that each of their combinations is a range of ranks.
func RulesOf(e *engine.Experiment) Rules {
	r := Rules{Variables: e.Variables, Links: e.Links, Exclusions: e.Exclusions}
	if e.Order == engine.Declared {
		r.Declared = true
		return r
	}
	for i, v := range e.Variables {
		if v.HardToChange {
			r.First = append(r.First, i)
		}
	}
	return r
}

// check finds what no space can be made of.
func (r Rules) check() error {
	var found engine.Mistakes
	for i := range r.Variables {
		found = append(found, r.checkVariable(i)...)
	}
	for _, link := range r.Links {
		found = append(found, r.checkLink(link)...)
	}
	for _, x := range r.Exclusions {
		for _, v := range x.Variables {
			if v < 0 || v >= len(r.Variables) {
				found = append(found, engine.Mistake{Pos: x.Pos, Message: "exclude: names a variable that is not declared"})
			}
		}
	}
	if err := found.Err(); err != nil {
		return err
	}
	return r.checkCycles()
}

func (r Rules) checkVariable(i int) (found engine.Mistakes) {
	v := r.Variables[i]
	wrong := func(what, hint string) {
		found = append(found, engine.Mistake{Pos: v.Pos, Message: fmt.Sprintf("variable %q: %s", v.Name, what), Hint: hint})
	}
	if len(v.Levels) == 0 {
		wrong("has no levels", "give it one level at least, or take it out")
	}
	for _, c := range v.When {
		if c.Variable < 0 || c.Variable >= len(r.Variables) {
			wrong("its when names a variable that is not declared", "")
			continue
		}
		for _, level := range c.Levels {
			if level < 0 || level >= len(r.Variables[c.Variable].Levels) {
				wrong(fmt.Sprintf("its when asks for a level that %q does not have", r.Variables[c.Variable].Name), "")
			}
		}
	}
	return found
}

func (r Rules) checkLink(link engine.Linked) (found engine.Mistakes) {
	wrong := func(what string) {
		found = append(found, engine.Mistake{Pos: link.Pos, Message: "linked: " + what})
	}
	for i, v := range link.Variables {
		switch {
		case v < 0 || v >= len(r.Variables):
			wrong("names a variable that is not declared")
			return found
		case slices.Contains(link.Variables[:i], v):
			wrong(fmt.Sprintf("names %q twice", r.Variables[v].Name))
			return found
		}
	}
	for n, row := range link.Rows {
		if len(row) != len(link.Variables) {
			wrong(fmt.Sprintf("row %d has %d levels for %d variables", n+1, len(row), len(link.Variables)))
			continue
		}
		for i, level := range row {
			if v := r.Variables[link.Variables[i]]; level < 0 || level >= len(v.Levels) {
				wrong(fmt.Sprintf("row %d asks for a level that %q does not have", n+1, v.Name))
			}
		}
	}
	return found
}

// checkCycles finds variables whose conditions lead back to themselves.
func (r Rules) checkCycles() error {
	const (
		open = iota + 1
		done
	)
	state := make([]int, len(r.Variables))
	var found engine.Mistakes
	var visit func(i int)
	visit = func(i int) {
		state[i] = open
		for _, c := range r.Variables[i].When {
			switch state[c.Variable] {
			case 0:
				visit(c.Variable)
			case open:
				v := r.Variables[i]
				found = append(found, engine.Mistake{Pos: v.Pos,
					Message: fmt.Sprintf("variable %q: its when leads back to itself by way of %q", v.Name, r.Variables[c.Variable].Name),
					Hint:    "take one of the two conditions out"})
			}
		}
		state[i] = done
	}
	for i := range r.Variables {
		if state[i] == 0 {
			visit(i)
		}
	}
	return found.Err()
}
