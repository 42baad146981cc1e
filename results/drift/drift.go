// Package drift says how an experiment differs from the one that a campaign was
// begun with: whether it is another one, whether its steps have changed, and what
// of its design has.
//
// It deliberately does not judge what may be gone on with, nor which runs a
// changed design adds or leaves out.
package drift

import (
	"fmt"
	"maps"
	"reflect"
	"slices"

	"mpf/engine"
)

// A Drift says how a plan differs from the one in force.
type Drift struct {
	Other  []string // why it belongs to another campaign
	Script []string // steps and flags that are not what they were
	Design []string // what of the design differs: "variables", "replicates"...
	Text   bool     // the files differ, whatever else does
}

// Same reports whether the plan in force can simply be gone on with.
func (d Drift) Same() bool {
	return len(d.Other) == 0 && len(d.Script) == 0 && len(d.Design) == 0 && !d.Text
}

// Reason is the reason that the next plan is recorded with.
func (d Drift) Reason() string {
	if len(d.Script) > 0 {
		return "script"
	}
	return "extend"
}

// Compare says how an experiment differs from the recorded one.
func Compare(old, new engine.Experiment) Drift {
	d := Drift{Text: !sameSources(old.Sources, new.Sources)}
	if old.Name != new.Name {
		d.Other = append(d.Other, fmt.Sprintf("experiment %q, now %q", old.Name, new.Name))
	}
	if old.Seed != new.Seed {
		d.Other = append(d.Other, fmt.Sprintf("seed %d, now %d", old.Seed, new.Seed))
	}
	d.Other = append(d.Other, changedTypes(old.Results, new.Results)...)
	d.Script = slices.Concat(changedSteps(old, new), changedDeployments(old, new), changedFlags(old.Flags, new.Flags))
	d.Design = changedDesign(old, new)
	return d
}

func sameSources(old, new []engine.Source) bool {
	return slices.EqualFunc(old, new, func(a, b engine.Source) bool { return a.Path == b.Path && a.SHA256 == b.SHA256 })
}

// changedTypes lists the results that have another type than they had.
func changedTypes(old, new []engine.ResultColumn) []string {
	types := map[string]engine.Type{}
	for _, r := range old {
		types[r.Name] = r.Type
	}
	var changed []string
	for _, r := range new {
		if was, ok := types[r.Name]; ok && was != r.Type {
			changed = append(changed, fmt.Sprintf("result %q of type %s, now %s", r.Name, was, r.Type))
		}
	}
	return changed
}

// changedSteps lists the steps that were added, removed or changed.
func changedSteps(old, new engine.Experiment) []string {
	before, after := steps(old), steps(new)
	var changed []string
	for _, name := range slices.Sorted(maps.Keys(after)) {
		if was, ok := before[name]; !ok {
			changed = append(changed, name+" is new")
		} else if !reflect.DeepEqual(was, after[name]) {
			changed = append(changed, name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(before)) {
		if _, ok := after[name]; !ok {
			changed = append(changed, name+" is gone")
		}
	}
	return changed
}

// A playedStep is a step with the name of its role instead of its number.
type playedStep struct {
	engine.Step
	role string
}

// steps returns all steps of an experiment by a name, without what does not
// matter for the numbers that they measure.
func steps(e engine.Experiment) map[string]playedStep {
	all := map[string]playedStep{}
	add := func(kind string, i int, s engine.Step) {
		name := fmt.Sprintf("%s %q", kind, s.Name)
		if _, taken := all[name]; taken {
			name = fmt.Sprintf("%s (%d)", name, i+1)
		}
		played := playedStep{s, e.Roles[s.Role].Name}
		played.Do, played.Gather, played.Pos, played.Role = nil, nil, engine.Pos{}, 0
		all[name] = played
	}
	for i, stage := range e.Timeline {
		for _, s := range stage {
			add("step", i, s)
		}
	}
	for _, role := range e.Roles {
		for i, s := range role.Setup {
			add("setup", i, s)
		}
		for i, s := range role.Cleanup {
			add("cleanup", i, s)
		}
	}
	return all
}

// changedDeployments lists the roles whose software is declared in another way.
// That of a role which was not there before measured nothing yet.
func changedDeployments(old, new engine.Experiment) []string {
	before, after := deployments(old), deployments(new)
	var changed []string
	for _, role := range slices.Sorted(maps.Keys(after)) {
		if before[role] != after[role] && slices.ContainsFunc(old.Roles, func(r engine.Role) bool { return r.Name == role }) {
			changed = append(changed, fmt.Sprintf("deploy %q", role))
		}
	}
	for _, role := range slices.Sorted(maps.Keys(before)) {
		if after[role] == "" {
			changed = append(changed, fmt.Sprintf("deploy %q is gone", role))
		}
	}
	return changed
}

// deployments says, as text, what is deployed for each role.
func deployments(e engine.Experiment) map[string]string {
	all := map[string]string{}
	for _, d := range e.Deployments {
		var per []string
		for _, v := range d.Per {
			per = append(per, e.Variables[v].Name)
		}
		all[e.Roles[d.Role].Name] += fmt.Sprintf("%q at %q, %q, %q per %q\n", d.Source, d.Revision, d.Packages, d.Build, per)
	}
	return all
}

func changedFlags(old, new []engine.Flag) []string {
	values := map[string]engine.Value{}
	for _, f := range old {
		values[f.Name] = f.Value
	}
	var changed []string
	for _, f := range new {
		if was, ok := values[f.Name]; ok && !reflect.DeepEqual(was, f.Value) {
			changed = append(changed, fmt.Sprintf("flag %q was %s, now %s", f.Name, engine.FormatValue(was), engine.FormatValue(f.Value)))
		}
	}
	return changed
}

// changedDesign lists what of the design differs. Which runs that adds or
// leaves out is for the design to say.
func changedDesign(old, new engine.Experiment) []string {
	var changed []string
	check := func(what string, same bool) {
		if !same {
			changed = append(changed, what)
		}
	}
	check("variables", slices.EqualFunc(old.Variables, new.Variables, sameVariable))
	check("links", slices.EqualFunc(old.Links, new.Links, func(a, b engine.Linked) bool {
		return slices.Equal(a.Variables, b.Variables) && reflect.DeepEqual(a.Rows, b.Rows)
	}))
	check("exclusions", slices.EqualFunc(old.Exclusions, new.Exclusions, func(a, b engine.Exclusion) bool {
		return slices.Equal(a.Variables, b.Variables)
	}))
	check("replicates", old.Replicates == new.Replicates)
	check("order", old.Order == new.Order)
	check("sample", samePartial(old.Partial, new.Partial))
	check("stopping", slices.EqualFunc(old.Stopping, new.Stopping, func(a, b engine.Stopping) bool {
		a.Pos, b.Pos = engine.Pos{}, engine.Pos{}
		return a == b
	}))
	check("results", slices.EqualFunc(old.Results, new.Results, func(a, b engine.ResultColumn) bool {
		a.Pos, b.Pos = engine.Pos{}, engine.Pos{}
		return a == b
	}))
	return changed
}

// sameVariable compares levels by label where their values are not plain.
func sameVariable(a, b engine.Variable) bool {
	return a.Name == b.Name && a.Unit == b.Unit && a.HardToChange == b.HardToChange && a.Names == b.Names &&
		reflect.DeepEqual(a.When, b.When) && slices.EqualFunc(a.Levels, b.Levels, func(x, y engine.Level) bool {
		return x.Label == y.Label && string(engine.AppendCanonical(nil, x.Value, x.Label)) == string(engine.AppendCanonical(nil, y.Value, y.Label))
	})
}

func samePartial(a, b *engine.Partial) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.N == b.N && a.Method == b.Method
}
