package code

import (
	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"mpf/starlib/script"
)

// A Reach walks the syntax of a function and of everything at the top of the
// files that it uses, directly or not, each once.
type Reach struct {
	Files *Files
	Seen  map[any]bool // functions and statements

	Visit func(f *File, n syntax.Node) // nil at the end of each node
	// Captured is told of the values that functions captured or have as
	// defaults, and of roles.
	Captured func(name string, v starlark.Value)
}

// A role is a value that stands for a part of the cluster.
type role interface{ RoleName() string }

// Function walks a function that is a value.
func (r *Reach) Function(fn *starlark.Function) {
	if r.Seen[fn] {
		return
	}
	r.Seen[fn] = true
	pos := script.Pos(fn.Position())
	file := r.Files.fileOf(pos.File)
	if file == nil {
		return
	}
	if node := file.functions[pos]; node != nil && !r.Seen[node] {
		r.Seen[node] = true
		r.node(file, node)
	}
	for i := range fn.NumFreeVars() {
		binding, v := fn.FreeVar(i)
		r.Captured(binding.Name, v)
	}
	for i := range fn.NumParams() {
		if v := fn.ParamDefault(i); v != nil {
			name, _ := fn.Param(i)
			r.Captured(name, v)
		}
	}
}

// node walks a piece of syntax and follows the names in it.
func (r *Reach) node(file *File, node syntax.Node) {
	var used []*syntax.Ident
	syntax.Walk(node, func(n syntax.Node) bool {
		r.Visit(file, n)
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
func (r *Reach) name(file *File, id *syntax.Ident) {
	b, ok := id.Binding.(*resolve.Binding)
	if !ok {
		return
	}
	if from, loaded := file.loads[id.Name]; loaded && b.Scope != resolve.Global {
		r.top(r.Files.files[from.file], from.name)
		return
	}
	if b.Scope == resolve.Global {
		r.top(file, id.Name)
	}
}

func (r *Reach) top(file *File, name string) {
	if file == nil {
		return
	}
	if _, isRole := file.Values[name].(role); isRole {
		r.Captured(name, file.Values[name])
		return
	}
	for _, stmt := range file.bindings[name] {
		if r.Seen[stmt] {
			continue
		}
		r.Seen[stmt] = true
		r.node(file, stmt)
	}
}
