package starlib

import (
	"go.starlark.net/starlark"

	"mpf/engine"
)

// checkUse finds what a file lacks to be an experiment, and roles that nobody
// plays for anything.
func (d *declarations) checkUse(file string, sources *sources) {
	d.checkFlags(file)
	if d.damaged {
		return // what was mended may have been the use
	}
	if len(d.stages) == 0 && d.experiment != nil {
		d.wrong(d.experiment.pos, `declare one: role("client").step(measure)`, "experiment %q: no role has a step", d.experiment.name)
	}
	for _, r := range d.roles {
		if !r.used && !d.mentioned(r, sources) {
			d.wrong(r.pos, "give it a step, or remove it", "role %q: declared but never used", r.name)
		}
	}
}

// mentioned reports whether the files use a role beside declaring it: by the
// name at the top that holds it, or as text.
func (d *declarations) mentioned(r *role, sources *sources) bool {
	if _, texts := sources.mentions(r.name); texts > 1 {
		return true
	}
	for _, f := range sources.order {
		for name, v := range f.values {
			if names, _ := sources.mentions(name); names > 1 && holds(v, r) {
				return true
			}
		}
	}
	for _, v := range d.variables {
		for _, level := range v.Levels {
			if v.Names == engine.NamesRoles && level.Label == r.name {
				return true
			}
		}
	}
	return false
}

// holds reports whether a value is a role, or a list or dict that has it.
func holds(v starlark.Value, r *role) bool {
	switch v := v.(type) {
	case *role:
		return v == r
	case *starlark.Dict:
		for _, item := range v.Items() {
			if item[1] == r {
				return true
			}
		}
	case starlark.Sequence:
		for item := range starlark.Elements(v) {
			if item == r {
				return true
			}
		}
	}
	return false
}
