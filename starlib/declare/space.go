package declare

import (
	"context"
	"fmt"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/convert"
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

// excluder makes an engine's predicate of a script's.
func excluder(fn *starlark.Function, pos engine.Pos) func([]engine.Value) (bool, error) {
	limits := script.Limits{Steps: script.StepsPerPredicate}
	return func(values []engine.Value) (bool, error) {
		args := make(starlark.Tuple, len(values))
		for i, v := range values {
			args[i] = convert.Starlark(v)
		}
		v, err := script.CallPure(context.Background(), fn, args, limits)
		if err != nil {
			return false, excludeMistake(fn, pos, args, err)
		}
		excluded, ok := v.(starlark.Bool)
		if !ok {
			return false, engine.Mistake{Pos: pos, Hint: "compare, as in x == y",
				Message: fmt.Sprintf("exclude: the predicate returned %s for %s, want True or False", v.Type(), assignment(fn, args))}
		}
		return bool(excluded), nil
	}
}

func excludeMistake(fn *starlark.Function, pos engine.Pos, args starlark.Tuple, err error) engine.Mistake {
	if trace := script.Trace(err); len(trace) > 0 {
		pos = trace[len(trace)-1]
	}
	why := script.Innermost(err).Error()
	return engine.Mistake{Pos: pos, Message: fmt.Sprintf("exclude: %s, for %s", why, assignment(fn, args)), Hint: script.Hint(why)}
}

// assignment writes the arguments of a predicate.
func assignment(fn *starlark.Function, args starlark.Tuple) string {
	text := ""
	for i, arg := range args {
		name, _ := fn.Param(i)
		if i > 0 {
			text += ", "
		}
		text += name + " = " + short(arg)
	}
	return text
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
		return nil, script.Problemf("sample: method = %q", method).Mend("%s", Suggest(string(method), sampleMethods[:], "methods"))
	}
	if n.N == 0 && method != "pairwise" {
		return nil, script.Problemf("sample: n = 0").Mend("write how many treatments to take")
	}
	return nil, nil
}
