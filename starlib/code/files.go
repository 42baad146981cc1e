package code

import (
	"crypto/sha256"
	"encoding/hex"
	"path/filepath"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"mpf/engine"
)

// Files are the files of an experiment as syntax, in which functions and the
// uses of names are found again.
type Files struct {
	List []engine.Source
	Dir  string // absolute
	Doc  string // the first string of the main file

	files map[string]*File
	order []*File
}

// A File is one of them: which statements bind a name at its top, and which
// functions begin where.
type File struct {
	display   string
	syntax    *syntax.File
	bindings  map[string][]syntax.Stmt
	loads     map[string]loadedName // local name -> where it comes from
	functions map[engine.Pos]syntax.Node
	Values    starlark.StringDict // of the names at its top
}

type loadedName struct{ file, name string }

// New makes the files of an experiment in a folder.
func New(dir string) *Files {
	if abs, err := filepath.Abs(dir); err == nil {
		dir = abs
	}
	return &Files{Dir: dir, files: map[string]*File{}}
}

// Read notes that a file was read.
func (s *Files) Read(name string, content []byte) {
	sum := sha256.Sum256(content)
	s.List = append(s.List, engine.Source{Path: name, SHA256: hex.EncodeToString(sum[:]), Content: string(content)})
}

// Add takes a parsed and resolved file.
func (s *Files) Add(name string, file *syntax.File) {
	if len(s.order) == 0 {
		s.Doc = docString(file)
	}
	f := &File{
		display: file.Path, syntax: file, bindings: map[string][]syntax.Stmt{},
		loads: map[string]loadedName{}, functions: map[engine.Pos]syntax.Node{},
	}
	for _, stmt := range file.Stmts {
		f.bind(stmt)
	}
	s.files[name] = f
	s.order = append(s.order, f)
}

// Executed takes the values at the top of a file.
func (s *Files) Executed(name string, values starlark.StringDict) { s.files[name].Values = values }

// All lists the files that were added, the main one first.
func (s *Files) All() []*File { return s.order }

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
func (f *File) bind(stmt syntax.Stmt) {
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
func (s *Files) fileOf(display string) *File {
	for _, f := range s.order {
		if f.display == display {
			return f
		}
	}
	return nil
}

// Mentions counts how often a word occurs in the files as a name, and as text.
func (s *Files) Mentions(word string) (names, texts int) {
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
