package starlib

import (
	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"mpf/starlib/script"
)

// A reach walks the syntax of a function and of everything at the top of the
// files that it uses, directly or not, each once.
type reach struct {
	s    *sources
	seen map[any]bool // functions and statements

	visit func(f *sourceFile, n syntax.Node) // nil at the end of each node
	// captured is told of the values that functions captured or have as
	// defaults, and of roles.
	captured func(name string, v starlark.Value)
}

// function walks a function that is a value.
func (r *reach) function(fn *starlark.Function) {
	if r.seen[fn] {
		return
	}
	r.seen[fn] = true
	pos := script.Pos(fn.Position())
	file := r.s.fileOf(pos.File)
	if file == nil {
		return
	}
	if node := file.functions[pos]; node != nil && !r.seen[node] {
		r.seen[node] = true
		r.node(file, node)
	}
	for i := range fn.NumFreeVars() {
		binding, v := fn.FreeVar(i)
		r.captured(binding.Name, v)
	}
	for i := range fn.NumParams() {
		if v := fn.ParamDefault(i); v != nil {
			name, _ := fn.Param(i)
			r.captured(name, v)
		}
	}
}

// node walks a piece of syntax and follows the names in it.
func (r *reach) node(file *sourceFile, node syntax.Node) {
	var used []*syntax.Ident
	syntax.Walk(node, func(n syntax.Node) bool {
		r.visit(file, n)
		if id, ok := n.(*syntax.Ident); ok {
			used = append(used, id)
		}
		return true
	})
	for _, id := range used {
		r.name(file, id)
	}
}

// name follows a name that is bound at the top of a file, or in another one.
func (r *reach) name(file *sourceFile, id *syntax.Ident) {
	b, ok := id.Binding.(*resolve.Binding)
	if !ok {
		return
	}
	if from, loaded := file.loads[id.Name]; loaded && b.Scope != resolve.Global {
		r.top(r.s.files[from.file], from.name)
		return
	}
	if b.Scope == resolve.Global {
		r.top(file, id.Name)
	}
}

func (r *reach) top(file *sourceFile, name string) {
	if file == nil {
		return
	}
	if v, isRole := file.values[name].(*role); isRole {
		r.captured(name, v)
		return
	}
	for _, stmt := range file.bindings[name] {
		if r.seen[stmt] {
			continue
		}
		r.seen[stmt] = true
		r.node(file, stmt)
	}
}
