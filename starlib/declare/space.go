package declare

import (
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/convert"
	"mpf/starlib/naming"
	"mpf/starlib/script"
)

// A linkedDecl is a link of variables whose rows are still values.
type linkedDecl struct {
	names []string
	rows  *starlark.List
	pos   engine.Pos
}

func (d *Declarations) declareLinked(c *script.Call) (starlark.Value, error) {
	var names convert.Names
	var rows *starlark.List
	if err := c.Unpack("names", &names, "rows??", &rows); err != nil {
		return nil, err
	}
	if len(names) < 2 {
		return nil, script.Problemf("linked: %d variables", len(names)).Mend(`name at least two: linked(["a", "b"])`)
	}
	for _, name := range names {
		if err := d.claim("linked variable", name, c.Pos()); err != nil {
			return nil, err
		}
	}
	d.links = append(d.links, linkedDecl{names: names, rows: rows, pos: c.Pos()})
	return nil, nil
}

// An exclusionDecl is a predicate whose parameters are still names.
type exclusionDecl struct {
	predicate *starlark.Function
	pos       engine.Pos
}

func (d *Declarations) declareExclusion(c *script.Call) (starlark.Value, error) {
	var predicate *starlark.Function
	if err := c.Unpack("predicate", &predicate); err != nil {
		return nil, err
	}
	predicate.Freeze()
	d.exclusions = append(d.exclusions, exclusionDecl{predicate, c.Pos()})
	return nil, nil
}

// A predicate is a function of variables.
type predicate struct {
	fn        *starlark.Function
	params    []string // that are variables
	variables []int
	pos       engine.Pos
}

// excludes calls the predicate with the values of its variables.
func (p predicate) excludes(values []engine.Value) (bool, error) {
	args := make([]starlark.Tuple, len(values))
	for i, v := range values {
		args[i] = starlark.Tuple{starlark.String(p.params[i]), convert.Starlark(v)}
	}
	v, err := script.CallPure(p.fn, args, script.Limits{Steps: script.StepsPerPredicate})
	if err != nil {
		return false, p.failed(args, err)
	}
	excluded, ok := v.(starlark.Bool)
	if !ok {
		return false, engine.Mistake{Pos: p.pos, Hint: "compare, as in x == y",
			Message: fmt.Sprintf("exclude: the predicate returned %s for %s, want True or False", v.Type(), assignment(args))}
	}
	return bool(excluded), nil
}

func (p predicate) failed(args []starlark.Tuple, err error) engine.Mistake {
	pos := p.pos
	if trace := script.Trace(err); len(trace) > 0 {
		pos = trace[len(trace)-1]
	}
	why := script.Innermost(err).Error()
	return engine.Mistake{Pos: pos, Message: fmt.Sprintf("exclude: %s, for %s", why, assignment(args)), Hint: script.Hint(why)}
}

// assignment writes the arguments of a predicate.
func assignment(args []starlark.Tuple) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = string(arg[0].(starlark.String)) + " = " + short(arg[1])
	}
	return strings.Join(words, ", ")
}

// sampleMethods are the ways to take a part of a space.
var sampleMethods = [...]string{"random", "latin", "pairwise", "maximin", "wsp"}

func (d *Declarations) declareSample(c *script.Call) (starlark.Value, error) {
	var n convert.Count
	method := convert.Text("random")
	if err := c.Unpack("n", &n, "method?", &method); err != nil {
		return nil, err
	}
	if d.partial != nil {
		return nil, script.Problemf("sample: called twice").Mend("the first is at %s: remove one of them", d.partial.Pos)
	}
	d.partial = &engine.Partial{N: int64(n.N), Method: string(method), Pos: c.Pos()}
	known := false
	for _, m := range sampleMethods {
		known = known || m == string(method)
	}
	if !known {
		return nil, script.Problemf("sample: method = %q", method).Mend("%s", naming.Suggest(string(method), sampleMethods[:], "methods"))
	}
	if n.N == 0 && method != "pairwise" {
		return nil, script.Problemf("sample: n = 0").Mend("write how many treatments to take")
	}
	return nil, nil
}
