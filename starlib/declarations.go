package starlib

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/convert"
	"mpf/starlib/script"
)

// declarations are what a file noted down while it was loaded. What names
// something else keeps it by name until resolve.
type declarations struct {
	options  Options
	mistakes engine.Mistakes
	closed   bool // the file has ended
	damaged  bool // it was mended to look at it further

	experiment *experimentDecl
	flags      []engine.Flag
	variables  []*variableDecl
	links      []linkedDecl
	exclusions []exclusionDecl
	partial    *engine.Partial
	stopping   []engine.Stopping
	results    []engine.ResultColumn
	roles      []*role
	stages     []*stage
	deploys    []deployDecl

	places map[string]engine.Pos // kind and name -> where it was declared
}

// A declarer is what a builtin of load time does.
type declarer func(d *declarations, c *script.Call) (starlark.Value, error)

// A builtin is one that an experiment file finds by its name.
type builtin struct {
	doc script.Doc
	do  declarer
}

// declare makes a builtin note down in d. A mistake is kept and the file goes
// on, so that the next one is found as well.
func (d *declarations) declare(b builtin) *starlark.Builtin {
	return script.New(b.doc, func(c *script.Call) (starlark.Value, error) {
		if d.closed {
			return nil, script.Problemf("%s: declarations are made while the file is loaded, not in a step", c.Name).
				Mend("call %s at the top of the file", c.Name)
		}
		v, err := b.do(d, c)
		if err != nil && !(d.damaged && callHoldsMissing(c)) {
			d.note(c.Pos(), err)
		}
		if v == nil {
			v = starlark.None
		}
		return v, nil
	})
}

func callHoldsMissing(c *script.Call) bool {
	if holdsMissing(c.Args...) {
		return true
	}
	for _, kv := range c.Kwargs {
		if holdsMissing(kv[1]) {
			return true
		}
	}
	return false
}

// note keeps an error as a mistake at pos.
func (d *declarations) note(pos engine.Pos, err error) {
	var problem *script.Problem
	if errors.As(err, &problem) {
		d.wrong(pos, problem.Hint, "%s", problem.Message)
		return
	}
	d.wrong(pos, script.Hint(err.Error()), "%s", err.Error())
}

func (d *declarations) wrong(pos engine.Pos, hint, format string, args ...any) {
	d.mistakes = append(d.mistakes, engine.Mistake{
		Pos: pos, Message: script.OneLine(fmt.Sprintf(format, args...)), Hint: hint,
	})
}

// claim notes that a name of a kind is taken, and refuses it if it was. Case
// does not distinguish names: they become columns and folders.
func (d *declarations) claim(kind, name string, pos engine.Pos) error {
	key := kind + " " + strings.ToLower(name)
	if first, taken := d.places[key]; taken {
		return script.Problemf("%s %q: declared twice", kind, name).Mend("the first is at %s: rename one of them or remove it", first)
	}
	d.places[key] = pos
	return nil
}

// suggest says which of the names was meant, or lists them.
func suggest(name string, names []string, kind string) string {
	if near := convert.Nearest(name, names); near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	if len(names) == 0 {
		return "none is declared"
	}
	const most = 12
	if len(names) > most {
		names = append(names[:most:most], "...")
	}
	return fmt.Sprintf("the %s: %s", kind, strings.Join(names, ", "))
}

func (d *declarations) variableNames() []string {
	names := make([]string, len(d.variables))
	for i, v := range d.variables {
		names[i] = v.Name
	}
	return names
}

// variable returns the index of a variable, or -1.
func (d *declarations) variable(name string) int {
	for i, v := range d.variables {
		if v.Name == name {
			return i
		}
	}
	return -1
}
