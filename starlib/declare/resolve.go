package declare

import (
	"fmt"
	"slices"
	"strings"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/act"
	"mpf/starlib/code"
	"mpf/starlib/naming"
	"mpf/starlib/script"
)

// Resolve makes an experiment of what a file noted down, and ends the noting.
// What is wrong joins the mistakes. File is how the main file is shown.
func (d *Declarations) Resolve(file string, sources *code.Files) *engine.Experiment {
	d.closed.Store(true)
	e := &engine.Experiment{}
	if x := d.experiment; x != nil {
		e.Name, e.Seed, e.Replicates, e.Order = x.name, x.seed, x.replicates, x.order
		e.Timeout, e.Retries, e.Sampling, e.Tools = x.timeout, x.retries, x.sampling, x.tools
	} else if !d.Damaged() {
		d.wrong(engine.Pos{File: file, Line: 1, Col: 1}, `add experiment("name") at the top`, "the file declares no experiment")
	}
	e.Doc, e.Sources = sources.Doc, sources.List
	e.Variables = d.resolveVariables()
	e.Links = d.resolveLinks()
	e.Exclusions = d.resolveExclusions()
	e.Partial, e.Stopping, e.Results, e.Flags = d.partial, d.stopping, d.results, d.flags
	e.Repeats = d.resolveRepeats()
	d.checkResults()
	r := &resolver{d: d, sources: sources, columns: d.columns()}
	e.Roles, e.Timeline = r.roles(), r.timeline()
	e.Deployments = d.resolveDeployments()
	r.look()
	d.checkUse(file, sources)
	d.suggestParameters()
	return e
}

// columns knows the declared results and the names that are taken.
func (d *Declarations) columns() *act.Columns {
	types := map[string]engine.Type{}
	for _, r := range d.results {
		types[r.Name] = r.Type
	}
	taken := map[string]bool{}
	for _, name := range d.variableNames() {
		taken[strings.ToLower(name)] = true
	}
	return &act.Columns{Types: types, Taken: func(name string) string {
		if taken[strings.ToLower(name)] {
			return "is a variable's"
		}
		return naming.WhyTaken(name)
	}}
}

func (d *Declarations) resolveVariables() []engine.Variable {
	vars := make([]engine.Variable, len(d.variables))
	for i, v := range d.variables {
		d.resolveWhen(v)
		vars[i] = v.Variable
	}
	d.checkCycles()
	return vars
}

func (d *Declarations) resolveWhen(v *variableDecl) {
	v.When = d.conditions(fmt.Sprintf("variable %q", v.Name), v.Pos, v.when)
}

// conditions resolves a dict variable -> level or levels, of what stands at a
// place.
func (d *Declarations) conditions(subject string, pos engine.Pos, when *starlark.Dict) []engine.Condition {
	if when == nil {
		return nil
	}
	var all []engine.Condition
	for _, item := range when.Items() {
		name, _ := starlark.AsString(item[0])
		parent := d.variable(name)
		if parent < 0 {
			d.wrong(pos, naming.Suggest(name, d.variableNames(), "variables"), "%s: when names %s, which is no variable", subject, item[0])
			continue
		}
		condition := engine.Condition{Variable: parent}
		for _, want := range listed(item[1]) {
			level := d.levelOf(subject, pos, d.variables[parent], want)
			if level >= 0 && !slices.Contains(condition.Levels, level) {
				condition.Levels = append(condition.Levels, level)
			}
		}
		slices.Sort(condition.Levels)
		all = append(all, condition)
	}
	return all
}

// listed is a list's items, or the one value.
func listed(v starlark.Value) []starlark.Value {
	switch v := v.(type) {
	case *starlark.List:
		return slices.Collect(v.Elements())
	case starlark.Tuple:
		return v
	}
	return []starlark.Value{v}
}

func (d *Declarations) levelOf(subject string, pos engine.Pos, parent *variableDecl, want starlark.Value) int {
	level := parent.level(want)
	if level < 0 && len(parent.Levels) > 0 {
		text, ok := starlark.AsString(want)
		if !ok {
			text = want.String()
		}
		d.wrong(pos, naming.Suggest(text, parent.labels(), "levels"), "%s: %q has no level %s", subject, parent.Name, short(want))
	}
	return level
}

// checkCycles finds variables whose conditions lead back to themselves.
func (d *Declarations) checkCycles() {
	done := make([]bool, len(d.variables))
	var path []int
	var visit func(i int)
	visit = func(i int) {
		if at := slices.Index(path, i); at >= 0 {
			d.cycle(append(slices.Clone(path[at:]), i))
			return
		}
		if done[i] {
			return
		}
		path = append(path, i)
		for _, c := range d.variables[i].When {
			visit(c.Variable)
		}
		path = path[:len(path)-1]
		done[i] = true
	}
	for i := range d.variables {
		visit(i)
	}
}

func (d *Declarations) cycle(path []int) {
	names := make([]string, len(path))
	for i, v := range path {
		names[i] = d.variables[v].Name
	}
	v := d.variables[path[0]]
	d.wrong(v.Pos, "remove one of the conditions", "variable %q: its when leads back to it: %s", v.Name, strings.Join(names, " -> "))
}

func (d *Declarations) resolveLinks() []engine.Linked {
	var links []engine.Linked
	for _, l := range d.links {
		one := engine.Linked{Pos: l.pos}
		for _, name := range l.names {
			at := d.variable(name)
			if at < 0 {
				d.wrong(l.pos, naming.Suggest(name, d.variableNames(), "variables"), "linked: %q is no variable", name)
				continue
			}
			one.Variables = append(one.Variables, at)
		}
		if len(one.Variables) < len(l.names) {
			continue
		}
		one.Rows = d.rows(l, one.Variables)
		links = append(links, one)
	}
	return links
}

// rows resolves the rows of a link to indices of levels.
func (d *Declarations) rows(l linkedDecl, vars []int) [][]int {
	if l.rows == nil {
		return d.zipped(l, vars)
	}
	var rows [][]int
	for i, values := range listed(l.rows) {
		items := listed(values)
		if len(items) != len(vars) {
			d.wrong(l.pos, "write one level of each of "+strings.Join(l.names, ", "), "linked: row %d has %d levels, want %d", i+1, len(items), len(vars))
			continue
		}
		row := make([]int, len(vars))
		for j, want := range items {
			v := d.variables[vars[j]]
			row[j] = v.level(want)
			if row[j] < 0 && len(v.Levels) > 0 {
				d.wrong(l.pos, naming.Suggest(strings.Trim(want.String(), `"`), v.labels(), "levels"), "linked: row %d: %q has no level %s", i+1, v.Name, short(want))
			}
		}
		if !slices.Contains(row, -1) {
			rows = append(rows, row)
		}
	}
	if l.rows.Len() == 0 {
		d.wrong(l.pos, "write at least one row, or leave rows away", "linked: no rows")
	}
	return rows
}

func (d *Declarations) zipped(l linkedDecl, vars []int) [][]int {
	n := len(d.variables[vars[0]].Levels)
	for _, v := range vars {
		if other := len(d.variables[v].Levels); other != n {
			d.wrong(l.pos, "give both equally many levels, or write the rows",
				"linked: %q has %d levels and %q has %d", l.names[0], n, d.variables[v].Name, other)
			return nil
		}
	}
	rows := make([][]int, n)
	for i := range rows {
		rows[i] = slices.Repeat([]int{i}, len(vars))
	}
	return rows
}

func (d *Declarations) resolveExclusions() []engine.Exclusion {
	var exclusions []engine.Exclusion
	for _, x := range d.exclusions {
		fn := x.predicate
		if fn.HasVarargs() || fn.HasKwargs() || fn.NumParams() == 0 {
			d.wrong(x.pos, "write exclude(lambda a, b: ...)", "exclude: the predicate's parameters name the variables that it depends on")
			continue
		}
		if p, ok := d.matchPredicate(fn); ok {
			p.pos = x.pos
			exclusions = append(exclusions, engine.Exclusion{Variables: p.variables, Excludes: p.excludes, Pos: x.pos})
		}
	}
	return exclusions
}

// matchPredicate matches the parameters of a predicate with variables. One that
// is none may have a default.
func (d *Declarations) matchPredicate(fn *starlark.Function) (p predicate, ok bool) {
	p, ok = predicate{fn: fn}, true
	for i := range fn.NumParams() {
		name, pos := fn.Param(i)
		at := d.variable(name)
		switch {
		case at >= 0:
			p.params = append(p.params, name)
			p.variables = append(p.variables, at)
		case fn.ParamDefault(i) == nil:
			d.wrong(script.Pos(pos), naming.Suggest(name, d.variableNames(), "variables"), "exclude: %q is no variable", name)
			ok = false
		}
	}
	return p, ok
}

func (d *Declarations) resolveDeployments() []engine.Deployment {
	var deployments []engine.Deployment
	for _, x := range d.deploys {
		x.Per = nil
		for _, name := range x.per {
			at := d.variable(name)
			if at < 0 {
				d.wrong(x.Pos, naming.Suggest(name, d.variableNames(), "variables"), "deploy: per: %q is no variable", name)
				continue
			}
			x.Per = append(x.Per, at)
		}
		for _, r := range x.roles {
			one := x.Deployment
			one.Role = max(0, slices.Index(d.roles, r))
			deployments = append(deployments, one)
		}
	}
	return deployments
}
