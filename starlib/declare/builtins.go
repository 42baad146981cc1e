package declare

import (
	"slices"

	"go.starlark.net/starlark"

	"mpf/starlib/act"
	"mpf/starlib/modules"
	"mpf/starlib/script"
)

// loadBuiltins lists what a file declares with, in the order of the reference.
func loadBuiltins() []builtin {
	return slices.Concat(experimentBuiltins(), variableBuiltins(), repeatBuiltins(), resultBuiltins(), roleBuiltins())
}

// Predeclared are the names that a file finds.
func (d *Declarations) Predeclared() starlark.StringDict {
	names := modules.All()
	for _, b := range loadBuiltins() {
		names[b.doc.Name()] = d.declare(b)
	}
	for _, b := range act.ReadyBuiltins() {
		names[b.Name()] = b
	}
	return names
}

// Docs documents what a file declares with.
func Docs() []script.Doc {
	var docs []script.Doc
	for _, b := range loadBuiltins() {
		docs = append(docs, b.doc)
		if b.doc.Name() == "role" {
			for _, m := range roleMethods() {
				docs = append(docs, m.doc)
			}
		}
	}
	return docs
}
