package declare

import (
	"slices"

	"mpf/engine"
	"mpf/starlib/act"
	"mpf/starlib/code"
	"mpf/starlib/naming"
)

// A resolver makes roles and steps of their declarations.
type resolver struct {
	d       *Declarations
	sources *code.Files
	columns *act.Columns
}

func (r *resolver) roles() []engine.Role {
	roles := make([]engine.Role, len(r.d.roles))
	for i, x := range r.d.roles {
		roles[i] = engine.Role{Name: x.name, Hosts: x.hosts, Count: x.count, Needs: x.needs, Pos: x.pos}
		if x.sample.set {
			roles[i].Sampling = &x.sample.sampling
		}
		if len(x.hosts) == 1 && r.names(x.hosts[0], engine.NamesHosts) {
			roles[i].Hosts, roles[i].HostsFrom = nil, x.hosts[0]
		}
		for _, s := range x.setup {
			roles[i].Setup = append(roles[i].Setup, r.step(s))
		}
		for _, s := range x.cleanup {
			roles[i].Cleanup = append(roles[i].Cleanup, r.step(s))
		}
	}
	return roles
}

// names reports whether a variable of that name names things of that kind.
func (r *resolver) names(variable string, kind engine.Naming) bool {
	at := r.d.variable(variable)
	return at >= 0 && r.d.variables[at].Names == kind
}

func (r *resolver) timeline() []engine.Stage {
	var timeline []engine.Stage
	for _, x := range r.d.stages {
		var one engine.Stage
		for _, s := range x.steps {
			one = append(one, r.step(s))
		}
		timeline = append(timeline, one)
	}
	r.checkRoleVariables()
	return timeline
}

func (r *resolver) step(s *stepDecl) engine.Step {
	step := s.Step
	step.Retries = s.retries.N
	if r.d.experiment != nil {
		if !s.retries.Set && s.kind == "step" {
			step.Retries = r.d.experiment.retries
		}
		if step.Timeout == 0 {
			step.Timeout = r.d.experiment.timeout
		}
	}
	r.place(s, &step)
	f := &act.Function{Name: s.Name, Call: s.fn, Params: r.d.params(s), Folder: r.sources.Dir, Limits: r.d.limits}
	if s.kind == "step" {
		f.Columns = r.columns
		if s.gather.isSet() {
			f.Gathered = true
			step.Gather = act.Gather(s.gather.how, s.gather.fn, r.columns, f.Limits)
		}
	}
	step.Do = f.Step()
	step.Digest = r.sources.Digest(s.fn)
	return step
}

// place says on which role and link a step is executed.
func (r *resolver) place(s *stepDecl, step *engine.Step) {
	step.Role = max(0, slices.Index(r.d.roles, s.role))
	if s.role.from != "" {
		step.RoleFrom = s.role.from
		if !r.names(s.role.from, engine.NamesRoles) {
			r.d.wrong(s.role.pos, `its levels are roles: variable("side", [client, server])`, "role_of: %q does not name roles", s.role.from)
		}
	}
	step.Link = s.link
	if r.names(s.link, engine.NamesLinks) {
		step.Link, step.LinkFrom = "", s.link
	}
}

// checkRoleVariables finds levels that are no role.
func (r *resolver) checkRoleVariables() {
	var names []string
	for _, x := range r.d.roles {
		names = append(names, x.name)
	}
	for _, v := range r.d.variables {
		if v.Names != engine.NamesRoles {
			continue
		}
		for _, label := range v.labels() {
			if !v.labelled && !slices.Contains(names, label) {
				r.d.wrong(v.Pos, naming.Suggest(label, names, "roles"), "variable %q: level %q is no role", v.Name, label)
			}
		}
	}
}
