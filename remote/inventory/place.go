package inventory

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"mpf/engine"
)

// A Placement says which hosts play the roles of an experiment, once for each
// group of the cluster; a cluster without groups has one, without a name.
type Placement struct {
	Groups []Group
	Hosts  []string // all that take part, in the order of the cluster file
}

// A Group is a set of hosts on which one run at a time takes place. Roles[i]
// are the hosts of the experiment's i-th role; none where a variable names
// them.
type Group struct {
	Name  string
	Roles [][]string
}

// Place gives hosts to the roles of an experiment. What does not fit comes back
// as engine.Mistakes, at the places of the experiment file.
func (c *Cluster) Place(e *engine.Experiment) (Placement, error) {
	p := placing{cluster: c, experiment: e, used: map[string]bool{}}
	p.checkVariables()
	groups := c.Groups
	if len(groups) == 0 {
		groups = []Members{{}}
	}
	var placement Placement
	for _, g := range groups {
		placement.Groups = append(placement.Groups, p.group(g))
	}
	p.checkLinks()
	if err := p.mistakes.Err(); err != nil {
		return Placement{}, err
	}
	for _, h := range c.Hosts {
		if p.used[h.Name] {
			placement.Hosts = append(placement.Hosts, h.Name)
		}
	}
	return placement, nil
}

// checkLinks refuses a link of which only one end could be shaped.
func (p *placing) checkLinks() {
	for _, l := range p.cluster.Links {
		a, b := l.Ends[0].Host, l.Ends[1].Host
		if !l.Shaped() || p.used[a] == p.used[b] {
			continue
		}
		if p.used[b] {
			a, b = b, a
		}
		p.mistakes = append(p.mistakes, mistakeAt(l.Pos, fmt.Sprintf("give %q a role, or take delay, rate and loss out", b),
			"link %q: host %q takes no part, and %q does: both ends would have to be shaped", l.Name, b, a))
	}
}

type placing struct {
	cluster    *Cluster
	experiment *engine.Experiment
	used       map[string]bool
	mistakes   engine.Mistakes
}

func mistakeAt(pos engine.Pos, hint, format string, args ...any) engine.Mistake {
	return engine.Mistake{Pos: pos, Hint: hint, Message: fmt.Sprintf(format, args...)}
}

func groupMistake(g Members, host, first string) engine.Mistake {
	return mistakeAt(g.Pos, "a host is in one group at most", "group %q: host %q is in group %q already", g.Name, host, first)
}

// group gives each role its hosts within a group.
func (p *placing) group(g Members) Group {
	placed := Group{Name: g.Name, Roles: make([][]string, len(p.experiment.Roles))}
	for i, role := range p.experiment.Roles {
		if role.HostsFrom != "" {
			continue
		}
		hosts := p.candidates(role)
		if g.Name != "" {
			hosts = slices.DeleteFunc(hosts, func(h string) bool { return !slices.Contains(g.Hosts, h) })
		}
		p.checkRole(role, g, hosts)
		placed.Roles[i] = hosts
		for _, h := range hosts {
			p.used[h] = true
		}
	}
	return placed
}

// candidates are the hosts that the experiment or the cluster names for a role.
func (p *placing) candidates(role engine.Role) []string {
	if len(role.Hosts) > 0 {
		for _, h := range role.Hosts {
			p.checkHost(role.Pos, "role "+strconv.Quote(role.Name), h)
		}
		return slices.Clone(role.Hosts)
	}
	if p.cluster.Path == "" {
		return []string{LocalHost}
	}
	for _, r := range p.cluster.Roles {
		if r.Name == role.Name {
			return slices.Clone(r.Hosts)
		}
	}
	return nil
}

func (p *placing) checkRole(role engine.Role, g Members, hosts []string) {
	where := ""
	if g.Name != "" {
		where = fmt.Sprintf(" in group %q", g.Name)
	}
	switch {
	case len(hosts) == 0:
		p.mistakes = append(p.mistakes, mistakeAt(role.Pos, p.rolesHint(role.Name), "role %q: no host plays it%s", role.Name, where))
	case len(hosts) < role.Count:
		p.mistakes = append(p.mistakes, mistakeAt(role.Pos, fmt.Sprintf("add hosts to roles: {%s: [...]} of %s", role.Name, p.file()),
			"role %q: needs %d hosts, %d play it%s", role.Name, role.Count, len(hosts), where))
	}
	for _, name := range hosts {
		p.checkTags(role, name)
	}
}

func (p *placing) checkTags(role engine.Role, name string) {
	host, _ := p.cluster.Host(name)
	for _, tag := range role.Needs {
		if !slices.Contains(host.Tags, tag) {
			p.mistakes = append(p.mistakes, mistakeAt(role.Pos, fmt.Sprintf("choose another host, or add tags: [%s] to %q in %s", tag, name, p.file()),
				"role %q: host %q has no tag %q", role.Name, name, tag))
		}
	}
}

// rolesHint names the role of the cluster file that was probably meant.
func (p *placing) rolesHint(role string) string {
	if len(p.cluster.Groups) == 0 {
		var names []string
		for _, r := range p.cluster.Roles {
			names = append(names, r.Name)
		}
		if near := suggestion(role, names); near != "" {
			return p.file() + ": " + near
		}
	}
	return fmt.Sprintf("add roles: {%s: [host]} to %s", role, p.file())
}

func (p *placing) file() string {
	if p.cluster.Path == "" {
		return "a cluster file"
	}
	return p.cluster.Path
}

func (p *placing) checkHost(pos engine.Pos, subject, name string) {
	if _, ok := p.cluster.Host(name); ok {
		return
	}
	hint := "give the cluster file: -c cluster.yaml"
	if p.cluster.Path != "" {
		var names []string
		for _, h := range p.cluster.Hosts {
			names = append(names, h.Name)
		}
		if hint = suggestion(name, names); hint == "" {
			hint = "hosts there: " + strings.Join(names, ", ")
		}
	}
	p.mistakes = append(p.mistakes, mistakeAt(pos, hint, "%s: no host %q in %s", subject, name, p.file()))
}

// checkVariables looks up the hosts and links that levels name.
func (p *placing) checkVariables() {
	for _, v := range p.experiment.Variables {
		subject := "variable " + strconv.Quote(v.Name)
		for _, level := range v.Levels {
			name := engine.FormatValue(level.Value)
			switch v.Names {
			case engine.NamesHosts:
				p.checkHost(v.Pos, subject, name)
				p.used[name] = true
			case engine.NamesLinks:
				p.checkLink(v.Pos, subject, name)
			}
		}
	}
	for _, stage := range p.experiment.Timeline {
		for _, step := range stage {
			if step.Link != "" {
				p.checkLink(step.Pos, "step "+strconv.Quote(step.Name), step.Link)
			}
		}
	}
}

func (p *placing) checkLink(pos engine.Pos, subject, name string) {
	var names []string
	for _, l := range p.cluster.Links {
		if l.Name == name {
			return
		}
		names = append(names, l.Name)
	}
	hint := suggestion(name, names)
	if hint == "" {
		hint = fmt.Sprintf("add links: {%s: [host.interface, host.interface]} to %s", name, p.file())
	}
	p.mistakes = append(p.mistakes, mistakeAt(pos, hint, "%s: no link %q in %s", subject, name, p.file()))
}
