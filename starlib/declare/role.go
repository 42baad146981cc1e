package declare

import (
	"errors"
	"fmt"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/act"
	"mpf/starlib/convert"
	"mpf/starlib/naming"
	"mpf/starlib/script"
)

// maxRetries keeps retries within reason.
const maxRetries = 100

// A role is what role(...) returns: a name with steps. A role with a from is
// the one that a variable names.
type role struct {
	d       *Declarations
	name    string
	from    string
	hosts   convert.Names
	count   int
	needs   []string
	sample  sampleArg
	setup   []*stepDecl
	cleanup []*stepDecl
	pos     engine.Pos
	used    bool
}

var (
	_ starlark.HasAttrs = (*role)(nil)
	_ act.Named         = (*role)(nil)
)

func (r *role) String() string        { return fmt.Sprintf("role(%q)", r.name) }
func (r *role) Type() string          { return "role" }
func (r *role) Freeze()               {}
func (r *role) Truth() starlark.Bool  { return true }
func (r *role) Hash() (uint32, error) { return starlark.String(r.name).Hash() }

// RoleName is the role's name.
func (r *role) RoleName() string { return r.name }

// A roleMethod is a declaration made on a role.
type roleMethod struct {
	doc script.Doc
	do  func(*role, *script.Call) (starlark.Value, error)
}

func roleMethods() []roleMethod {
	const stepChecks = "fn is a function, which becomes read-only with all that it holds; its parameters are ctx and variables, or have defaults"
	return []roleMethod{{script.Doc{
		Signature: `role.step(fn, delay = None, timeout = None, retries = None, gather = None, trace = False, link = None, name = None)`,
		Text:      "Adds a step to the end of the timeline: fn is executed on every host of the role, gets its parameters by name, and returns None or a dict of results; `gather` is \"list\", \"sum\", \"mean\", \"min\", \"max\" or a function of values (or of name and values) that makes one result of those of several hosts; with a link, or a variable that names links, fn is executed at its ends.",
		When:      atLoad,
		Checks:    stepChecks + "; step names are unique; durations are not negative",
		Error:     "`a.star:20:12: step \"measure\": parameter \"paralel\" is no variable (did you mean \"parallel\"?)`",
	}, (*role).step}, {script.Doc{
		Signature: "role.setup(fn, timeout = None)",
		Text:      "Executes fn on every host of the role once, before the first run; what it starts lives until the last.",
		When:      atLoad, Checks: "fn is a function, which becomes read-only with all that it holds; its parameters are ctx, or have defaults",
		Error: "`a.star:12:13: setup \"install\": parameter \"n\" has no value before the first run (...)`",
	}, (*role).declareSetup}, {script.Doc{
		Signature: "role.cleanup(fn, timeout = None)",
		Text:      "Executes fn on every host of the role after each run, whatever happened in it.",
		When:      atLoad, Checks: stepChecks,
		Error: "as role.step",
	}, (*role).declareCleanup}}
}

func (r *role) Attr(name string) (starlark.Value, error) {
	if name == "name" {
		return starlark.String(r.name), nil
	}
	for _, m := range roleMethods() {
		if m.doc.Word() == name {
			return r.d.declare(builtin{m.doc, func(_ *Declarations, c *script.Call) (starlark.Value, error) { return m.do(r, c) }}), nil
		}
	}
	return r.noMethod(name), nil
}

// noMethod stands for a method that a role does not have. Calling it is a mistake
// that does not end the file.
func (r *role) noMethod(name string) starlark.Value {
	return starlark.NewBuiltin(name, func(th *starlark.Thread, b *starlark.Builtin, _ starlark.Tuple, _ []starlark.Tuple) (starlark.Value, error) {
		r.used = true
		at := script.Pos(th.CallFrame(1).Pos)
		r.d.wrong(at, naming.Suggest(name, r.AttrNames(), "methods"), "role %q: there is no method %q", r.name, name)
		return starlark.None, nil
	})
}

func (r *role) AttrNames() []string {
	names := []string{"name"}
	for _, m := range roleMethods() {
		names = append(names, m.doc.Word())
	}
	return names
}

func roleBuiltins() []builtin {
	return []builtin{{script.Doc{
		Signature: "role(name, hosts = None, count = 1, needs = [], sample = None)",
		Text:      "A part played by one or more hosts: those of the cluster file, or the named ones, or the one that a variable with `names = \"hosts\"` names; `count` is how many it needs at least, `needs` are tags that they carry, and `sample` says how they are watched, as in experiment.",
		When:      atLoad,
		Checks:    "the name is unique; the role is used; count is at least 1",
		Error:     "`a.star:4:14: role \"server\": declared but never used (...)`",
	}, (*Declarations).declareRole}, {script.Doc{
		Signature: "role_of(variable)",
		Text:      "The role that a variable names in each run: its levels are roles, given as such or by name with `names = \"roles\"`.",
		When:      atLoad,
		Checks:    "the variable exists and its levels are roles",
		Error:     "`a.star:9:8: role_of: \"side\" does not name roles (...)`",
	}, (*Declarations).declareRoleOf}, {script.Doc{
		Signature: "together(*steps)",
		Text:      "Makes the steps, as role.step returned them, start at once; the next step waits for all of them.",
		When:      atLoad,
		Checks:    "the steps follow each other directly and are in no other together",
		Error:     "`a.star:21:9: together: the steps do not follow each other (...)`",
	}, (*Declarations).declareTogether}, {script.Doc{
		Signature: `deploy(role, source = None, packages = [], build = [], per = [], revision = "")`,
		Text:      "Puts software on all hosts of a role, or of each of a list of roles, before their first run: source is a folder beside the experiment or a git repository, of which a revision may be named, without what .gitignore and .mpfignore say; packages are names, or a dict \"apt\" and \"dnf\" -> names; build are shell commands in the source's folder; per are variables whose levels need a build of their own, and are environment variables of its commands: \"make $level\".",
		When:      atLoad,
		Checks:    "there is something to deploy; per names variables; at run time unchanged inputs rebuild nothing, and a source that is not what rows were measured with is refused unless --accept-script is given",
		Error:     "`a.star:6:7: deploy: per: \"varaint\" is no variable (did you mean \"variant\"?)`",
	}, (*Declarations).declareDeploy}}
}

func (d *Declarations) declareRole(c *script.Call) (starlark.Value, error) {
	var name convert.Text
	var hosts, needs convert.Names
	var sample sampleArg
	count := convert.Count{N: 1}
	err := c.Unpack("name", &name, "hosts??", &hosts, "count?", &count, "needs?", &needs, "sample??", &sample)
	r := &role{d: d, name: string(name), hosts: hosts, count: count.N, needs: needs, sample: sample, pos: c.Pos()}
	if err != nil {
		return r, err
	}
	if err := naming.Identifier("role", string(name)); err != nil {
		return r, err
	}
	if err := d.claim("role", string(name), c.Pos()); err != nil {
		return r, err
	}
	d.roles = append(d.roles, r)
	if count.N < 1 {
		return r, script.Problemf("role %q: count = 0", name).Mend("a role has at least one host")
	}
	return r, nil
}

func (d *Declarations) declareRoleOf(c *script.Call) (starlark.Value, error) {
	var name convert.Text
	err := c.Unpack("variable", &name)
	return &role{d: d, name: string(name), from: string(name), pos: c.Pos()}, err
}

// A stage is steps that start together, still as declarations.
type stage struct {
	steps  []*stepDecl
	joined bool // by together
}

func (d *Declarations) declareTogether(c *script.Call) (starlark.Value, error) {
	if len(c.Kwargs) > 0 || len(c.Args) < 2 {
		return nil, script.Problemf("together: want at least two steps").Mend("write together(a.step(f), b.step(g))")
	}
	first := -1
	for i, arg := range c.Args {
		step, ok := arg.(*stepDecl)
		if !ok {
			return nil, script.Problemf("together: argument %d is %s, want what role.step returns", i+1, arg.Type()).
				Mend("write together(a.step(f), b.step(g))")
		}
		at := d.stageOf(step)
		if i == 0 {
			first = at
		}
		if at < 0 || at != first+i {
			return nil, script.Problemf("together: the steps do not follow each other").
				Mend("declare them where they are joined: together(a.step(f), b.step(g))")
		}
	}
	return nil, d.join(first, len(c.Args))
}

func (d *Declarations) stageOf(step *stepDecl) int {
	for i, s := range d.stages {
		if len(s.steps) > 0 && s.steps[0] == step && !s.joined {
			return i
		}
	}
	return -1
}

// join makes one stage of n stages of one step.
func (d *Declarations) join(first, n int) error {
	if first < 0 || first+n > len(d.stages) {
		return errors.New("together: the steps are not in the timeline")
	}
	one := &stage{joined: true}
	for _, s := range d.stages[first : first+n] {
		one.steps = append(one.steps, s.steps...)
	}
	d.stages = append(append(d.stages[:first:first], one), d.stages[first+n:]...)
	return nil
}

// A deployDecl is a deployment whose roles and variables are still names.
type deployDecl struct {
	engine.Deployment
	roles []*role
	per   []string
}

func (d *Declarations) declareDeploy(c *script.Call) (starlark.Value, error) {
	var roles rolesArg
	var source, revision convert.Text
	var packages packagesArg
	var build, per convert.Names
	err := c.Unpack("role", &roles, "source??", &source, "packages?", &packages, "build?", &build, "per?", &per, "revision?", &revision)
	if err != nil {
		return nil, err
	}
	for _, r := range roles {
		r.used = true
		if r.from != "" {
			return nil, script.Problemf("deploy: %q stands for another role in each run", r.name).Mend("name the roles: deploy([a, b], ...)")
		}
	}
	d.deploys = append(d.deploys, deployDecl{roles: roles, per: per, Deployment: engine.Deployment{
		Source: string(source), Revision: string(revision), Packages: packages, Build: build, Pos: c.Pos(),
	}})
	if source == "" && len(packages) == 0 && len(build) == 0 {
		return nil, script.Problemf("deploy: nothing to deploy").Mend("give it a source, packages or build commands")
	}
	if revision != "" && source == "" {
		return nil, script.Problemf("deploy: revision = %q without a source", revision).Mend("add source = \"https://...\" or a folder")
	}
	return nil, nil
}

// A rolesArg is a parameter that takes a role or a list of them.
type rolesArg []*role

func (r *rolesArg) Unpack(v starlark.Value) error {
	if one, ok := v.(*role); ok {
		*r = rolesArg{one}
		return nil
	}
	list, ok := v.(starlark.Indexable)
	if _, isText := v.(starlark.String); !ok || isText {
		return fmt.Errorf("got %s, want a role or a list of roles", v.Type())
	}
	for i := range list.Len() {
		one, ok := list.Index(i).(*role)
		if !ok {
			return fmt.Errorf("item %d: got %s, want a role", i, list.Index(i).Type())
		}
		*r = append(*r, one)
	}
	return nil
}

// A packagesArg is a parameter that takes names, or names by package manager.
type packagesArg map[string][]string

func (p *packagesArg) Unpack(v starlark.Value) error {
	*p = packagesArg{}
	dict, ok := v.(*starlark.Dict)
	if !ok {
		var names convert.Names
		if err := names.Unpack(v); err != nil {
			return err
		}
		if len(names) > 0 {
			(*p)[""] = names
		}
		return nil
	}
	for _, item := range dict.Items() {
		manager, _ := starlark.AsString(item[0])
		if manager != "apt" && manager != "dnf" {
			return fmt.Errorf(`got key %s, want "apt" or "dnf"`, item[0])
		}
		var names convert.Names
		if err := names.Unpack(item[1]); err != nil {
			return fmt.Errorf("%s: %w", manager, err)
		}
		(*p)[manager] = names
	}
	return nil
}
