package declare

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/code"
)

// checkUse finds what a file lacks to be an experiment, and roles that nobody
// plays for anything.
func (d *Declarations) checkUse(file string, sources *code.Files) {
	d.checkFlags(file)
	if d.Damaged() {
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
func (d *Declarations) mentioned(r *role, sources *code.Files) bool {
	if _, texts := sources.Mentions(r.name); texts > 1 {
		return true
	}
	for _, f := range sources.All() {
		for name, v := range f.Values {
			if names, _ := sources.Mentions(name); names > 1 && holds(v, r) {
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

// suggestParameters mends the hints of names that are variables: a step gets
// them as parameters.
func (d *Declarations) suggestParameters() {
	d.lock.Lock()
	defer d.lock.Unlock()
	for i := range d.mistakes {
		m := &d.mistakes[i]
		if name, ok := strings.CutPrefix(m.Message, code.Undefined); ok && d.variable(name) >= 0 {
			m.Hint = fmt.Sprintf("it is a variable: add %s to the parameters of the step", name)
		}
	}
}
