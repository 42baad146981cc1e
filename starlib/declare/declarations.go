package declare

import (
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/code"
	"mpf/starlib/script"
)

// Declarations are what a file noted down while it was loaded. What names
// something else keeps it by name until Resolve.
type Declarations struct {
	given  map[string]string // flags
	limits script.Limits     // of steps

	lock     sync.Mutex // a script may go on behind its bound
	mistakes engine.Mistakes
	damaged  bool        // the file was mended to look at it further
	closed   atomic.Bool // it has ended

	experiment *experimentDecl
	flags      []engine.Flag
	variables  []*variableDecl
	links      []linkedDecl
	exclusions []exclusionDecl
	partial    *engine.Partial
	stopping   []engine.Stopping
	repeats    []repeatDecl
	results    []engine.ResultColumn
	roles      []*role
	stages     []*stage
	deploys    []deployDecl

	places map[string]engine.Pos // kind and name -> where it was declared
}

// New makes the declarations of one experiment. What its steps print goes to
// print, which may be nil.
func New(flags map[string]string, print func(engine.Pos, string)) *Declarations {
	return &Declarations{given: flags, limits: script.Limits{Print: print}, places: map[string]engine.Pos{}}
}

// A declarer is what a builtin of load time does.
type declarer func(d *Declarations, c *script.Call) (starlark.Value, error)

// A builtin is one that an experiment file finds by its name.
type builtin struct {
	doc script.Doc
	do  declarer
}

// declare makes a builtin note down in d. A mistake is kept and the file goes
// on, so that the next one is found as well.
func (d *Declarations) declare(b builtin) *starlark.Builtin {
	return script.New(b.doc, func(c *script.Call) (starlark.Value, error) {
		if d.closed.Load() {
			return nil, script.Problemf("%s: declarations are made while the file is loaded, not in a step", c.Name).
				Mend("call %s at the top of the file", c.Name)
		}
		v, err := b.do(d, c)
		if err != nil && !(d.Damaged() && callHoldsMissing(c)) {
			d.Note(c.Pos(), err)
		}
		if v == nil {
			v = starlark.None
		}
		return v, nil
	})
}

func callHoldsMissing(c *script.Call) bool {
	if code.HoldsMissing(c.Args...) {
		return true
	}
	for _, kv := range c.Kwargs {
		if code.HoldsMissing(kv[1]) {
			return true
		}
	}
	return false
}

// Note keeps an error as a mistake at pos.
func (d *Declarations) Note(pos engine.Pos, err error) {
	var problem *script.Problem
	if errors.As(err, &problem) {
		d.wrong(pos, problem.Hint, "%s", problem.Message)
		return
	}
	d.wrong(pos, script.Hint(err.Error()), "%s", err.Error())
}

func (d *Declarations) wrong(pos engine.Pos, hint, format string, args ...any) {
	m := engine.Mistake{Pos: pos, Message: script.OneLine(fmt.Sprintf(format, args...)), Hint: hint}
	d.lock.Lock()
	defer d.lock.Unlock()
	d.mistakes = append(d.mistakes, m)
}

// Damage keeps mistakes of syntax. What is declared from here on may lack what
// was mended.
func (d *Declarations) Damage(ms engine.Mistakes) {
	d.lock.Lock()
	defer d.lock.Unlock()
	d.mistakes = append(d.mistakes, ms...)
	d.damaged = d.damaged || len(ms) > 0
}

// Damaged reports whether a file had mistakes of syntax.
func (d *Declarations) Damaged() bool {
	d.lock.Lock()
	defer d.lock.Unlock()
	return d.damaged
}

// Mistakes returns all that was found so far, sorted.
func (d *Declarations) Mistakes() error {
	d.lock.Lock()
	defer d.lock.Unlock()
	return slices.Clone(d.mistakes).Err()
}

// claim notes that a name of a kind is taken, and refuses it if it was. Case
// does not distinguish names: they become columns and folders.
func (d *Declarations) claim(kind, name string, pos engine.Pos) error {
	key := kind + " " + strings.ToLower(name)
	if first, taken := d.places[key]; taken {
		return script.Problemf("%s %q: declared twice", kind, name).Mend("the first is at %s: rename one of them or remove it", first)
	}
	d.places[key] = pos
	return nil
}

func (d *Declarations) variableNames() []string {
	names := make([]string, len(d.variables))
	for i, v := range d.variables {
		names[i] = v.Name
	}
	return names
}

// variable returns the index of a variable, or -1.
func (d *Declarations) variable(name string) int {
	for i, v := range d.variables {
		if v.Name == name {
			return i
		}
	}
	return -1
}
