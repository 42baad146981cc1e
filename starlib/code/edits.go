package code

import (
	"fmt"
	"strings"

	"go.starlark.net/syntax"

	"mpf/engine"
)

// An Edit is a definition at the top of a file that is not what it was.
type Edit struct {
	Pos  engine.Pos // in the new file; none where the definition is gone
	Text string     // `function "measure" has other code`
}

// Edits lists which functions, and which other names at the top of files, differ
// between two versions of an experiment's files, in the order of the new ones.
// Comments and places do not count. A file that cannot be parsed has none.
func Edits(old, new []engine.Source) (found []Edit) {
	before, after := definitionsOf(old), definitionsOf(new)
	was := map[string]definition{}
	for _, d := range before {
		was[d.key()] = d
	}
	for _, d := range after {
		o, known := was[d.key()]
		delete(was, d.key())
		switch {
		case !known:
			found = append(found, Edit{d.pos, d.words() + " is new"})
		case o.text != d.text:
			found = append(found, Edit{d.pos, d.words() + " has other code"})
		}
	}
	for _, d := range before {
		if _, gone := was[d.key()]; gone {
			found = append(found, Edit{Text: d.words() + " is gone"})
		}
	}
	return found
}

// A definition binds a name at the top of a file.
type definition struct {
	file       string // empty: the main file, whatever it is called
	kind, name string
	pos        engine.Pos
	text       string // its syntax
}

func (d definition) key() string   { return d.file + " " + d.words() }
func (d definition) words() string { return fmt.Sprintf("%s %q", d.kind, d.name) }

func definitionsOf(sources []engine.Source) (all []definition) {
	for i, source := range sources {
		file, err := Dialect().Parse(source.Path, source.Content, 0)
		if err != nil {
			continue
		}
		name := source.Path
		if i == 0 {
			name = ""
		}
		for _, stmt := range file.Stmts {
			syntax.Walk(stmt, func(n syntax.Node) bool {
				switch n := n.(type) {
				case *syntax.DefStmt:
					all = append(all, definition{name, "function", n.Name.Name, startOf(n.Name.NamePos), textOf(n)})
					return false // what is in it belongs to it
				case *syntax.AssignStmt:
					if id, ok := n.LHS.(*syntax.Ident); ok {
						all = append(all, definition{name, "name", id.Name, startOf(id.NamePos), textOf(n)})
					}
				}
				return true
			})
		}
	}
	return all
}

// Same reports whether two files are the same but for comments and layout.
func Same(a, b []byte) bool {
	one, err := Dialect().Parse("a", a, 0)
	other, otherErr := Dialect().Parse("b", b, 0)
	return err == nil && otherErr == nil && textOf(one) == textOf(other)
}

// textOf writes syntax without its places.
func textOf(n syntax.Node) string {
	var b strings.Builder
	syntax.Walk(n, func(n syntax.Node) bool {
		if n == nil {
			b.WriteByte(')')
			return true
		}
		fmt.Fprintf(&b, "(%T %s", n, detail(n))
		return true
	})
	return b.String()
}
