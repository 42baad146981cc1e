package code

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"

	"go.starlark.net/starlark"
	"go.starlark.net/syntax"
)

// Digest hashes what a function does: its syntax and that of everything that it
// uses, and the values it captured. Comments, blank space and places do not
// count.
func (s *Files) Digest(fn *starlark.Function) string {
	w := &digester{sum: sha256.New()}
	w.reach = &Reach{Files: s, Seen: map[any]bool{}, Visit: w.visit, Captured: w.captured}
	w.reach.Function(fn)
	return hex.EncodeToString(w.sum.Sum(nil))
}

type digester struct {
	sum   hash.Hash
	reach *Reach
}

func (w *digester) write(words ...any) { fmt.Fprintln(w.sum, words...) }

func (w *digester) visit(_ *File, n syntax.Node) {
	if n == nil {
		w.write(")")
		return
	}
	w.write(fmt.Sprintf("(%T", n), detail(n))
}

func (w *digester) captured(name string, v starlark.Value) {
	w.write("captured", name)
	w.value(v)
}

// value hashes a captured value.
func (w *digester) value(v starlark.Value) {
	switch v := v.(type) {
	case nil:
	case *starlark.Function:
		w.reach.Function(v)
	case starlark.String, starlark.Int, starlark.Float, starlark.Bool, starlark.NoneType:
		w.write(v.Type(), v.String())
	case starlark.Tuple:
		w.items(v)
	case *starlark.List:
		w.once(v, v)
	case *starlark.Set:
		w.once(v, v)
	case *starlark.Dict:
		if w.once(v, v) {
			for _, item := range v.Items() {
				w.value(item[1])
			}
		}
	case role:
		w.write("role", v.RoleName())
	default:
		w.write(v.Type())
	}
}

// once hashes the items of a value that may hold itself.
func (w *digester) once(key any, v starlark.Sequence) bool {
	if w.reach.Seen[key] {
		return false
	}
	w.reach.Seen[key] = true
	w.items(v)
	return true
}

func (w *digester) items(v starlark.Sequence) {
	w.write(v.Type(), v.Len())
	for item := range starlark.Elements(v) {
		w.value(item)
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
	}
	return ""
}
