package declare

import (
	"go.starlark.net/starlark"

	"mpf/starlib/lint"
)

// look has the functions read that steps and predicates are made of.
func (r *resolver) look() {
	words := lint.Words{IsRole: func(v starlark.Value) bool { _, is := v.(*role); return is }}
	for _, b := range loadBuiltins() {
		words.Declares = append(words.Declares, b.doc.Name())
	}
	for _, m := range roleMethods() {
		words.RoleMethods = append(words.RoleMethods, m.doc.Word())
	}
	for _, m := range lint.Look(r.functions(), r.sources, words) {
		r.d.wrong(m.Pos, m.Hint, "%s", m.Message)
	}
}

// functions lists what is called in runs.
func (r *resolver) functions() (all []*starlark.Function) {
	for _, stage := range r.d.stages {
		for _, s := range stage.steps {
			all = append(all, s.fn, s.gather.fn)
		}
	}
	for _, x := range r.d.roles {
		for _, s := range append(x.setup, x.cleanup...) {
			all = append(all, s.fn)
		}
	}
	for _, x := range r.d.exclusions {
		all = append(all, x.predicate)
	}
	return all
}
