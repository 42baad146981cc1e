package code

import (
	"errors"
	"slices"
	"strings"

	"go.starlark.net/resolve"
	"go.starlark.net/starlark"
	"go.starlark.net/syntax"

	"mpf/engine"
	"mpf/starlib/script"
)

// Dialect is Starlark with sets and with control flow at the top of a file.
func Dialect() *syntax.FileOptions {
	return &syntax.FileOptions{Set: true, TopLevelControl: true}
}

// maxSyntaxMistakes bounds how often a file is mended to find its next mistake.
const maxSyntaxMistakes = 20

// A Parsed file is a program, or mistakes, or both: then the program is one in
// which the mistakes are mended so far that it can be looked at further.
type Parsed struct {
	File     *syntax.File
	Program  *starlark.Program
	Mistakes engine.Mistakes
	Missing  []string // names that are used and not there
}

// Parse reads a file. The parser stops at the first mistake; where that is a
// known habit of Python, its line is mended in memory and the rest is looked at
// too.
func Parse(name string, content []byte, isPredeclared func(string) bool) Parsed {
	var p Parsed
	text := string(content)
	for range maxSyntaxMistakes {
		file, err := Dialect().Parse(name, text, 0)
		if err == nil {
			p.compile(file, text, isPredeclared)
			return p
		}
		at := new(syntax.Error)
		if !errors.As(err, at) {
			p.Mistakes = append(p.Mistakes, engine.Mistake{Pos: engine.Pos{File: name, Line: 1, Col: 1}, Message: err.Error()})
			return p
		}
		h := habitAt(text, at.Pos, at.Msg)
		p.Mistakes = append(p.Mistakes, engine.Mistake{Pos: script.Pos(h.pos), Message: h.message, Hint: h.hint})
		if h.mended == "" {
			return p
		}
		text = h.mended
	}
	return p
}

// Undefined begins the resolver's message about a name that is not there.
const Undefined = "undefined: "

func (p *Parsed) compile(file *syntax.File, text string, isPredeclared func(string) bool) {
	program, err := starlark.FileProgram(file, isPredeclared)
	p.File, p.Program = file, program
	var list resolve.ErrorList
	if !errors.As(err, &list) {
		if err != nil {
			p.Mistakes = append(p.Mistakes, engine.Mistake{Pos: engine.Pos{File: file.Path, Line: 1, Col: 1}, Message: err.Error()})
		}
		return
	}
	for _, e := range list {
		message, hint := splitHint(e.Msg)
		if hint == "" {
			hint = script.Hint(message)
		}
		p.Mistakes = append(p.Mistakes, engine.Mistake{Pos: script.Pos(e.Pos), Message: message, Hint: hint})
		if name, ok := strings.CutPrefix(message, Undefined); ok {
			p.Missing = append(p.Missing, name)
		}
	}
	p.compileWithMissing(file.Path, text, isPredeclared)
}

// compileWithMissing compiles as if the missing names were there.
func (p *Parsed) compileWithMissing(name, text string, isPredeclared func(string) bool) {
	file, err := Dialect().Parse(name, text, 0)
	if err != nil || len(p.Missing) == 0 {
		return
	}
	program, err := starlark.FileProgram(file, func(name string) bool {
		return isPredeclared(name) || slices.Contains(p.Missing, name)
	})
	if err == nil {
		p.File, p.Program = file, program
	}
}

// splitHint takes the resolver's own suggestion off a message.
func splitHint(message string) (text, hint string) {
	text, hint, found := strings.Cut(message, " (did you mean ")
	if !found {
		return message, ""
	}
	return text, "did you mean " + strings.TrimSuffix(hint, ")")
}
