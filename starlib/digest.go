package starlib

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"slices"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"mpf/starlib/script"
)

// digest hashes what a function does: its syntax and that of everything at the
// top of the files that it uses, directly or not, and the values it captured.
// Comments, blank space and places do not count.
func (s *sources) digest(fn *starlark.Function) string {
	w := &digester{s: s, sum: sha256.New(), seen: map[any]bool{}}
	w.function(fn)
	return hex.EncodeToString(w.sum.Sum(nil))
}

type digester struct {
	s    *sources
	sum  hash.Hash
	seen map[any]bool // functions and statements that are in already
}

func (w *digester) write(words ...any) { fmt.Fprintln(w.sum, words...) }

func (w *digester) function(fn *starlark.Function) {
	if w.seen[fn] {
		return
	}
	w.seen[fn] = true
	pos := script.Pos(fn.Position())
	file := w.s.fileOf(pos.File)
	if file == nil {
		return
	}
	if node := file.functions[pos]; node != nil {
		w.node(file, node)
	}
	for i := range fn.NumFreeVars() {
		binding, v := fn.FreeVar(i)
		w.write("captured", binding.Name)
		w.value(v)
	}
	for i := range fn.NumParams() {
		if v := fn.ParamDefault(i); v != nil {
			w.value(v)
		}
	}
}

// value hashes a captured value.
func (w *digester) value(v starlark.Value) {
	switch v := v.(type) {
	case nil:
	case *starlark.Function:
		w.function(v)
	case starlark.String, starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType, *role:
		w.write(v.Type(), v.String())
	case starlark.Sequence:
		w.write(v.Type(), v.Len())
		if w.seen[v] {
			return
		}
		if _, pointer := v.(starlark.Tuple); !pointer {
			w.seen[v] = true
		}
		for item := range starlark.Elements(v) {
			w.value(item)
		}
	default:
		w.write(v.Type())
	}
}

// node hashes a piece of syntax and follows the names in it.
func (w *digester) node(file *sourceFile, node syntax.Node) {
	var used []*syntax.Ident
	syntax.Walk(node, func(n syntax.Node) bool {
		if n == nil {
			w.write(")")
			return true
		}
		w.write(fmt.Sprintf("(%T", n), detail(n))
		if id, ok := n.(*syntax.Ident); ok {
			used = append(used, id)
		}
		return true
	})
	for _, id := range used {
		w.name(file, id)
	}
}

// detail is what a node of syntax holds beside its children.
func detail(n syntax.Node) string {
	switch n := n.(type) {
	case *syntax.Ident:
		return n.Name
	case *syntax.Literal:
		return fmt.Sprintf("%T %v", n.Value, n.Value)
	case *syntax.BinaryExpr:
		return n.Op.String()
	case *syntax.UnaryExpr:
		return n.Op.String()
	case *syntax.AssignStmt:
		return n.Op.String()
	case *syntax.BranchStmt:
		return n.Token.String()
	case *syntax.Comprehension:
		return fmt.Sprint(n.Curly)
	case *syntax.DictEntry, *syntax.CallExpr:
		return ""
	}
	return ""
}

// name follows a name that is bound at the top of a file, or in another one.
func (w *digester) name(file *sourceFile, id *syntax.Ident) {
	b, ok := id.Binding.(*resolve.Binding)
	if !ok {
		return
	}
	if from, loaded := file.loads[id.Name]; loaded && b.Scope != resolve.Global {
		w.top(w.s.files[from.file], from.name)
		return
	}
	if b.Scope == resolve.Global {
		w.top(file, id.Name)
	}
}

func (w *digester) top(file *sourceFile, name string) {
	if file == nil {
		return
	}
	if _, isRole := file.values[name].(*role); isRole {
		w.write("role", file.values[name].String())
		return
	}
	for _, stmt := range file.bindings[name] {
		if w.seen[stmt] {
			continue
		}
		w.seen[stmt] = true
		w.node(file, stmt)
	}
	if from, loaded := file.loads[name]; loaded && !slices.Contains([]*sourceFile{nil, file}, w.s.files[from.file]) {
		w.top(w.s.files[from.file], from.name)
	}
}
