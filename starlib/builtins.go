package starlib

import (
	"maps"
	"slices"

	"go.starlark.net/starlark"

	"mpf/starlib/act"
	"mpf/starlib/modules"
)

// loadBuiltins lists what a file declares with, in the order of the reference.
func loadBuiltins() []builtin {
	return slices.Concat(experimentBuiltins(), variableBuiltins(), resultBuiltins(), roleBuiltins())
}

// predeclared are the names that a file finds.
func (d *declarations) predeclared() starlark.StringDict {
	names := modules.All()
	for _, b := range loadBuiltins() {
		names[b.doc.Name()] = d.declare(b)
	}
	for _, b := range act.ReadyBuiltins() {
		names[b.Name()] = b
	}
	return names
}

// Builtins lists the names that every file finds, sorted.
func Builtins() []string {
	return slices.Sorted(maps.Keys((&declarations{}).predeclared()))
}
