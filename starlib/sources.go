package starlib

import (
	"path/filepath"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"mpf/engine"
	"mpf/starlib/source"
)

// sources are the files of an experiment as syntax, in which functions and the
// uses of names are found again.
type sources struct {
	list  []engine.Source
	dir   string // absolute
	doc   string // the first string of the main file
	files map[string]*sourceFile
	order []*sourceFile
}

// A sourceFile is one file: which statements bind a name at its top, and which
// functions begin where.
type sourceFile struct {
	display   string
	syntax    *syntax.File
	bindings  map[string][]syntax.Stmt
	loads     map[string]loadedName // local name -> where it comes from
	functions map[engine.Pos]syntax.Node
	values    starlark.StringDict
}

type loadedName struct{ file, name string }

func newSources(folder *source.Folder) *sources {
	dir, err := filepath.Abs(folder.Display("."))
	if err != nil {
		dir = folder.Display(".")
	}
	return &sources{dir: dir, files: map[string]*sourceFile{}}
}

// add takes a parsed and resolved file.
func (s *sources) add(name string, file *syntax.File) {
	if len(s.order) == 0 {
		s.doc = docString(file)
	}
	f := &sourceFile{
		display: file.Path, syntax: file, bindings: map[string][]syntax.Stmt{},
		loads: map[string]loadedName{}, functions: map[engine.Pos]syntax.Node{},
	}
	for _, stmt := range file.Stmts {
		f.bind(stmt)
	}
	s.files[name] = f
	s.order = append(s.order, f)
}

func (s *sources) globals(name string, values starlark.StringDict) { s.files[name].values = values }

func docString(file *syntax.File) string {
	if len(file.Stmts) == 0 {
		return ""
	}
	stmt, ok := file.Stmts[0].(*syntax.ExprStmt)
	if !ok {
		return ""
	}
	literal, ok := stmt.X.(*syntax.Literal)
	if !ok {
		return ""
	}
	text, _ := literal.Value.(string)
	return strings.TrimSpace(text)
}

// bind notes the names that a statement at the top binds, and the functions in
// it.
func (f *sourceFile) bind(stmt syntax.Stmt) {
	if load, ok := stmt.(*syntax.LoadStmt); ok {
		for i, to := range load.To {
			f.loads[to.Name] = loadedName{strings.TrimPrefix(load.ModuleName(), "./"), load.From[i].Name}
		}
		return
	}
	syntax.Walk(stmt, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.DefStmt:
			f.functions[startOf(n.Def)] = n
		case *syntax.LambdaExpr:
			f.functions[startOf(n.Lambda)] = n
		case *syntax.Ident:
			if b, ok := n.Binding.(*resolve.Binding); ok && b.Scope == resolve.Global && b.First == n {
				f.bindings[n.Name] = append(f.bindings[n.Name], stmt)
			}
		}
		return true
	})
}

func startOf(p syntax.Position) engine.Pos {
	return engine.Pos{File: p.Filename(), Line: int(p.Line), Col: int(p.Col)}
}

// fileOf finds the file in which a function stands.
func (s *sources) fileOf(display string) *sourceFile {
	for _, f := range s.order {
		if f.display == display {
			return f
		}
	}
	return nil
}

// mentions counts how often a word occurs in the files as a name, and as text.
func (s *sources) mentions(word string) (names, texts int) {
	for _, f := range s.order {
		syntax.Walk(f.syntax, func(node syntax.Node) bool {
			switch node := node.(type) {
			case *syntax.Ident:
				if node.Name == word {
					names++
				}
			case *syntax.Literal:
				if node.Value == word {
					texts++
				}
			}
			return true
		})
	}
	return names, texts
}
