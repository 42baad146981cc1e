package declare

import (
	"strings"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/act"
	"mpf/starlib/convert"
	"mpf/starlib/naming"
	"mpf/starlib/script"
)

func resultBuiltins() []builtin {
	return []builtin{{script.Doc{
		Signature: `result(name, type, unit = "", better = "", description = "")`,
		Text:      "Declares a column that steps fill, of type `bool`, `int`, `float` or `str`; `better` is \"higher\" or \"lower\".",
		When:      atLoad,
		Checks:    "the name is neither reserved nor a variable's; a step that returns another type fails its run, as does a run whose steps return none of the declared results; one that lacks some carries a warning, and None is an answer; an int is taken where a float is declared if it is exact",
		Error:     "`a.star:5:7: result \"status\": the name is reserved for a fixed column (...)`",
	}, (*Declarations).declareResult}, {script.Doc{
		Signature: "until(result, ci = 0.05, min = 6, max = 30)",
		Text:      "Repeats each treatment until the 95 % confidence interval of the result's median is no wider than `ci` times the median to either side, between `min` and `max` replicates, judged only when a block has ended.",
		When:      atLoad,
		Checks:    "the result is declared, int or float; ci is over 0 and under 1; 2 <= min <= max",
		Error:     "`a.star:7:6: until: result \"goodputt\" is not declared (did you mean \"goodput\"?)`",
	}, (*Declarations).declareUntil}}
}

// A typeArg is a parameter that names a column's type.
type typeArg engine.Type

func (t *typeArg) Unpack(v starlark.Value) error {
	name, _ := starlark.AsString(v)
	if b, ok := v.(*starlark.Builtin); ok {
		name = b.Name()
	}
	switch name {
	case "bool", "int", "float":
		*t = typeArg(name)
	case "str", "string":
		*t = typeArg(engine.String)
	default:
		return script.Problemf("got %s, want bool, int, float or str", v)
	}
	return nil
}

func (d *Declarations) declareResult(c *script.Call) (starlark.Value, error) {
	var name, unit, better, description convert.Text
	var kind typeArg
	if err := c.Unpack("name", &name, "type", &kind, "unit?", &unit, "better?", &better, "description?", &description); err != nil {
		return nil, err
	}
	columns := act.Columns{Taken: naming.WhyTaken}
	if err := columns.CheckName(string(name)); err != nil {
		d.wrong(c.Pos(), "", "%v", err)
	}
	if err := d.claim("result", string(name), c.Pos()); err != nil {
		return nil, err
	}
	d.results = append(d.results, engine.ResultColumn{
		Name: string(name), Type: engine.Type(kind), Unit: string(unit), Better: string(better),
		Description: string(description), Pos: c.Pos(),
	})
	if better != "" && better != "higher" && better != "lower" {
		return nil, script.Problemf("result %q: better = %q", name, better).Mend(`write "higher" or "lower"`)
	}
	return nil, nil
}

func (d *Declarations) declareUntil(c *script.Call) (starlark.Value, error) {
	var name convert.Text
	ci := convert.Number{F: 0.05}
	least, most := convert.Count{N: engine.DefaultReplicates}, convert.Count{N: 30}
	if err := c.Unpack("result", &name, "ci?", &ci, "min?", &least, "max?", &most); err != nil {
		return nil, err
	}
	d.stopping = append(d.stopping, engine.Stopping{Result: string(name), CI: ci.F, Min: least.N, Max: most.N, Pos: c.Pos()})
	switch {
	case ci.F <= 0 || ci.F >= 1:
		return nil, script.Problemf("until: ci = %v, want a part of the median over 0 and under 1", ci.F).Mend("write 0.05 for 5 %%")
	case least.N < 2 || most.N < least.N || most.N > maxReplicates:
		return nil, script.Problemf("until: min = %d, max = %d, want 2 <= min <= max <= %d", least.N, most.N, maxReplicates)
	}
	return nil, nil
}

// checkResults compares results with variables and stopping rules with results.
func (d *Declarations) checkResults() {
	types := map[string]engine.Type{}
	var names []string
	for _, r := range d.results {
		types[r.Name] = r.Type
		names = append(names, r.Name)
		if first, taken := d.places["variable "+strings.ToLower(r.Name)]; taken {
			d.wrong(r.Pos, "rename one of them: both become columns", "result %q: a variable of that name is declared at %s", r.Name, first)
		}
	}
	for _, s := range d.stopping {
		switch t, declared := types[s.Result]; {
		case !declared:
			d.wrong(s.Pos, naming.Suggest(s.Result, names, "results"), "until: result %q is not declared", s.Result)
		case t != engine.Int && t != engine.Float:
			d.wrong(s.Pos, "name a result of type int or float", "until: result %q is of type %s", s.Result, t)
		}
	}
}
