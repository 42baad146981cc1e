package declare

import (
	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/convert"
	"mpf/starlib/script"
)

// A repeatDecl is a number of replicates with the treatments that it is for.
type repeatDecl struct {
	when       *starlark.Dict
	replicates int
	pos        engine.Pos
}

func repeatBuiltins() []builtin {
	return []builtin{{script.Doc{
		Signature: "replicates(n, when)",
		Text:      "Repeats the treatments for which `when`, a dict variable -> level or list of levels, holds `n` times instead of as often as the experiment says. Of several that hold, the last one counts.",
		When:      atLoad,
		Checks:    "n is 1 at least; when names variables, which may be declared later, and their levels",
		Error:     "`a.star:6:11: replicates: \"variant\" has no level \"mptpc\" (did you mean \"mptcp\"?)`",
	}, (*Declarations).declareReplicates}}
}

func (d *Declarations) declareReplicates(c *script.Call) (starlark.Value, error) {
	var n convert.Count
	var when *starlark.Dict
	if err := c.Unpack("n", &n, "when", &when); err != nil {
		return nil, err
	}
	if n.N < 1 || n.N > maxReplicates {
		return nil, script.Problemf("replicates: n = %d, want 1 to %d", n.N, maxReplicates)
	}
	d.repeats = append(d.repeats, repeatDecl{when: when, replicates: n.N, pos: c.Pos()})
	return nil, nil
}

func (d *Declarations) resolveRepeats() []engine.Repeat {
	var all []engine.Repeat
	for _, r := range d.repeats {
		all = append(all, engine.Repeat{When: d.conditions("replicates", r.pos, r.when), Replicates: r.replicates, Pos: r.pos})
	}
	return all
}
