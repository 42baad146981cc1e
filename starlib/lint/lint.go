package lint

import (
	"fmt"
	"maps"
	"slices"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"mpf/engine"
	"mpf/starlib/act"
	"mpf/starlib/code"
	"mpf/starlib/naming"
	"mpf/starlib/script"
)

// Words are what a file declares with.
type Words struct {
	Declares    []string // builtins of load time
	RoleMethods []string
	IsRole      func(starlark.Value) bool
}

// Look finds in functions, and in all that they use, what cannot go well once
// they are called.
func Look(functions []*starlark.Function, files *code.Files, words Words) engine.Mistakes {
	l := &linter{Words: words, files: files, seen: map[any]bool{}, members: act.Members()}
	for _, fn := range functions {
		l.walk(fn)
	}
	return l.mistakes
}

type linter struct {
	Words
	files    *code.Files
	seen     map[any]bool
	members  map[string]script.Doc // of ctx
	mistakes engine.Mistakes
}

func (l *linter) walk(fn *starlark.Function) {
	if fn == nil {
		return
	}
	w := &code.Reach{Files: l.files, Seen: l.seen, Visit: l.visit}
	w.Captured = func(_ string, v starlark.Value) {
		if inner, ok := v.(*starlark.Function); ok {
			w.Function(inner)
		}
	}
	w.Function(fn)
}

// visit looks into functions. Other statements at the top of a file have been
// executed already.
func (l *linter) visit(f *code.File, n syntax.Node) {
	switch n.(type) {
	case *syntax.DefStmt, *syntax.LambdaExpr:
		syntax.Walk(n, func(n syntax.Node) bool {
			l.expression(f, n)
			return true
		})
	}
}

func (l *linter) expression(f *code.File, n syntax.Node) {
	switch n := n.(type) {
	case *syntax.CallExpr:
		l.call(f, n)
	case *syntax.DotExpr:
		if _, has := l.members[n.Name.Name]; isContext(n.X) && !has {
			names := slices.Sorted(maps.Keys(l.members))
			l.wrong(n.Name.NamePos, naming.Suggest(n.Name.Name, names, "names that it has"), fmt.Sprintf("ctx has no %q", n.Name.Name))
		}
	}
}

// isContext reports whether an expression is a step's ctx, by its name.
func isContext(x syntax.Expr) bool {
	id, ok := x.(*syntax.Ident)
	return ok && id.Name == "ctx" && scope(id) != resolve.Global
}

func scope(id *syntax.Ident) resolve.Scope {
	if b, ok := id.Binding.(*resolve.Binding); ok {
		return b.Scope
	}
	return resolve.Undefined
}

func (l *linter) call(f *code.File, n *syntax.CallExpr) {
	switch fn := n.Fn.(type) {
	case *syntax.Ident:
		if scope(fn) == resolve.Predeclared && slices.Contains(l.Declares, fn.Name) {
			l.declaration(fn.NamePos, fn.Name)
		}
	case *syntax.DotExpr:
		if isContext(fn.X) {
			l.keywords(l.members[fn.Name.Name], n)
			if fn.Name.Name == "sh" {
				l.script(n)
			}
		}
		id, ok := fn.X.(*syntax.Ident)
		if !ok {
			return
		}
		if l.IsRole(f.Values[id.Name]) && slices.Contains(l.RoleMethods, fn.Name.Name) {
			l.declaration(id.NamePos, id.Name+"."+fn.Name.Name)
		}
	}
}

// keywords finds named arguments that a method of ctx does not take.
func (l *linter) keywords(doc script.Doc, call *syntax.CallExpr) {
	names, open := doc.Params()
	if open || doc.Signature == "" {
		return
	}
	for _, arg := range call.Args {
		named, ok := arg.(*syntax.BinaryExpr)
		if !ok || named.Op != syntax.EQ {
			continue
		}
		if id, ok := named.X.(*syntax.Ident); ok && !slices.Contains(names, id.Name) {
			p := script.NoParameter(doc.Name(), id.Name, names)
			l.wrong(id.NamePos, p.Hint, p.Message)
		}
	}
}

func (l *linter) declaration(pos syntax.Position, name string) {
	l.wrong(pos, "call it at the top of the file", name+": declarations are made while the file is loaded, not in a step")
}

// wrong reports a mistake once: functions within functions are met twice.
func (l *linter) wrong(pos syntax.Position, hint, message string) {
	at := script.Pos(pos)
	if l.seen[at] {
		return
	}
	l.seen[at] = true
	l.mistakes = append(l.mistakes, engine.Mistake{Pos: at, Message: message, Hint: hint})
}
