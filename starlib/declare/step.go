package declare

import (
	"errors"
	"fmt"
	"strings"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/engine/spelling"
	"mpf/starlib/act"
	"mpf/starlib/convert"
	"mpf/starlib/naming"
	"mpf/starlib/script"
)

// A stepDecl is a step, a setup or a cleanup whose parameters are still names.
// role.step returns it, for together.
type stepDecl struct {
	engine.Step
	kind    string // "step", "setup" or "cleanup"
	fn      *starlark.Function
	role    *role
	link    string
	retries convert.Count
	gather  gatherArg
}

func (s *stepDecl) String() string        { return fmt.Sprintf("%s(%q)", s.kind, s.Name) }
func (s *stepDecl) Type() string          { return "step" }
func (s *stepDecl) Freeze()               {}
func (s *stepDecl) Truth() starlark.Bool  { return true }
func (s *stepDecl) Hash() (uint32, error) { return 0, errors.New("unhashable: step") }

// A functionArg is a parameter that takes a function of the file.
type functionArg struct{ fn *starlark.Function }

func (f *functionArg) Unpack(v starlark.Value) error {
	fn, ok := v.(*starlark.Function)
	if !ok {
		return fmt.Errorf("got %s, want a function: name one made by def, without calling it", v.Type())
	}
	fn.Freeze()
	f.fn = fn
	return nil
}

// A gatherArg is a parameter that says how results of several hosts become one.
type gatherArg struct {
	how string
	fn  *starlark.Function
}

func (g *gatherArg) Unpack(v starlark.Value) error {
	if fn, ok := v.(*starlark.Function); ok {
		fn.Freeze()
		g.fn = fn
		if n := fn.NumParams(); n != 1 && n != 2 {
			return fmt.Errorf("the function has %d parameters, want values, or name and values", n)
		}
		return nil
	}
	text, _ := starlark.AsString(v)
	for _, how := range act.GatherNames {
		if how == text {
			g.how = how
			return nil
		}
	}
	return fmt.Errorf("got %s, %s", v, naming.Suggest(text, act.GatherNames[:], "ways to gather, beside a function"))
}

func (g gatherArg) isSet() bool { return g.how != "" || g.fn != nil }

func (r *role) step(c *script.Call) (starlark.Value, error) {
	var fn functionArg
	var delay, timeout convert.Timeout
	var name, link convert.Text
	s := &stepDecl{kind: "step", role: r}
	err := c.Unpack("fn", &fn, "delay??", &delay, "timeout??", &timeout, "retries??", &s.retries,
		"gather??", &s.gather, "trace?", &s.Trace, "link??", &link, "name??", &name)
	r.used = true
	if fn.fn == nil {
		return s, err
	}
	if err != nil {
		r.d.Note(c.Pos(), err)
	}
	s.complete(fn.fn, c, timeout)
	s.Delay, s.link = delay.D, string(link)
	if name != "" {
		s.Name = string(name)
	}
	r.d.stages = append(r.d.stages, &stage{steps: []*stepDecl{s}})
	if s.retries.N > maxRetries {
		return s, script.Problemf("step %q: retries = %d, want 0 to %d", s.Name, s.retries.N, maxRetries)
	}
	if first, taken := r.d.places["step "+strings.ToLower(s.Name)]; taken {
		return s, script.Problemf("step %q: declared twice", s.Name).Mend("the first is at %s: give this one a name of its own, as name = %q", first, s.Name+"_again")
	}
	return s, r.d.claim("step", s.Name, c.Pos())
}

func (s *stepDecl) complete(fn *starlark.Function, c *script.Call, timeout convert.Timeout) {
	s.fn, s.Pos, s.Timeout = fn, c.Pos(), timeout.D
	s.Name = fn.Name()
}

func (r *role) declareSetup(c *script.Call) (starlark.Value, error) {
	return r.aside("setup", c, &r.setup)
}

func (r *role) declareCleanup(c *script.Call) (starlark.Value, error) {
	return r.aside("cleanup", c, &r.cleanup)
}

// aside declares a step beside the timeline.
func (r *role) aside(kind string, c *script.Call, list *[]*stepDecl) (starlark.Value, error) {
	var fn functionArg
	var timeout convert.Timeout
	r.used = true
	if err := c.Unpack("fn", &fn, "timeout??", &timeout); err != nil || fn.fn == nil {
		return nil, err
	}
	if r.from != "" {
		return nil, script.Problemf("%s: %q stands for another role in each run", kind, r.name).Mend("declare it on each of the roles")
	}
	s := &stepDecl{kind: kind, role: r}
	s.complete(fn.fn, c, timeout)
	*list = append(*list, s)
	return nil, nil
}

// params matches the parameters of a step with what supplies them.
func (d *Declarations) params(s *stepDecl) []act.Param {
	fn := s.fn
	if fn.HasVarargs() || fn.HasKwargs() {
		d.wrong(script.Pos(fn.Position()), "name the variables it needs, or read ctx.treatment",
			"%s %q: its parameters are given by name, so it cannot have *args or **kwargs", s.kind, s.Name)
		return nil
	}
	var params []act.Param
	for i := range fn.NumParams() {
		name, pos := fn.Param(i)
		switch at := d.variable(name); {
		case name == "ctx":
			params = append(params, act.Param{Name: name, Variable: act.IsContext})
		case at >= 0 && s.kind != "setup":
			params = append(params, act.Param{Name: name, Variable: at})
		case fn.ParamDefault(i) != nil:
		case at >= 0:
			d.wrong(script.Pos(pos), "read it in a step, or give the parameter a default",
				"setup %q: parameter %q has no value before the first run", s.Name, name)
		default:
			d.wrong(script.Pos(pos), d.suggestParam(name), "%s %q: parameter %q is no variable", s.kind, s.Name, name)
		}
	}
	return params
}

func (d *Declarations) suggestParam(name string) string {
	near := spelling.Nearest(name, append(d.variableNames(), "ctx"))
	switch name {
	case "replicate", "seed", "run_id", "treatment", "host", "dir", "rank", "role", "attempt", "labels", "source":
		return fmt.Sprintf("read ctx.%s", name)
	}
	if near != "" {
		return fmt.Sprintf("did you mean %q?", near)
	}
	return fmt.Sprintf("declare it: variable(%q, [...]), or give the parameter a default", name)
}
