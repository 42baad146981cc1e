package execute

import (
	"fmt"
	"slices"

	"mpf/engine"
)

// A cast says which hosts play which roles in one run.
type cast struct {
	experiment *engine.Experiment
	links      map[string]engine.Link
	roles      map[string][]engine.Host
	hosts      []engine.Host // each once, in the order of roles
	names      []string      // of hosts
}

// cast places the roles of a run on the group's hosts. A role whose host a
// variable names gets that host; it has none where the variable is absent.
func (g *Group) cast(e *engine.Experiment, t engine.Treatment) (*cast, error) {
	c := &cast{experiment: e, links: g.Links, roles: map[string][]engine.Host{}}
	for _, role := range e.Roles {
		hosts := g.Roles[role.Name]
		if role.HostsFrom != "" {
			named, err := g.named(e, t, role)
			if err != nil {
				return c, err
			}
			hosts = named
		}
		c.play(role.Name, hosts)
	}
	return c, nil
}

func (g *Group) named(e *engine.Experiment, t engine.Treatment, role engine.Role) ([]engine.Host, error) {
	label := labelOf(e, t, role.HostsFrom)
	if label == "" {
		return nil, nil
	}
	host := g.Hosts[label]
	if host == nil {
		return nil, &engine.Failure{
			Status: engine.Failed, Cause: engine.CauseScript,
			Message: fmt.Sprintf("role %q: variable %q names host %q, which is not in this group", role.Name, role.HostsFrom, label),
		}
	}
	return []engine.Host{host}, nil
}

func labelOf(e *engine.Experiment, t engine.Treatment, variable string) string {
	for i, v := range e.Variables {
		if v.Name == variable {
			return t.Label(e.Variables, i)
		}
	}
	return ""
}

func (c *cast) play(role string, hosts []engine.Host) {
	c.roles[role] = hosts
	for _, host := range hosts {
		name := host.Info().Name
		if !slices.Contains(c.names, name) {
			c.hosts = append(c.hosts, host)
			c.names = append(c.names, name)
		}
	}
}

func (c *cast) roleHosts() []engine.RoleHost {
	var pairs []engine.RoleHost
	for _, role := range c.experiment.Roles {
		for _, host := range c.roles[role.Name] {
			info := host.Info()
			pairs = append(pairs, engine.RoleHost{Role: role.Name, Host: info.Name, BootID: info.BootID, Shared: info.Shared})
		}
	}
	return pairs
}

func (c *cast) rolesOf(host string) []string {
	var roles []string
	for _, pair := range c.roleHosts() {
		if pair.Host == host {
			roles = append(roles, pair.Role)
		}
	}
	return roles
}

// Hosts returns the hosts of a role in their order.
func (c *cast) Hosts(role string) ([]engine.HostInfo, error) {
	hosts, ok := c.roles[role]
	if !ok {
		return nil, fmt.Errorf("no role %q", role)
	}
	infos := make([]engine.HostInfo, len(hosts))
	for i, host := range hosts {
		infos[i] = host.Info()
	}
	return infos, nil
}

// Link returns a link of the cluster.
func (c *cast) Link(name string) (engine.Link, error) {
	link, ok := c.links[name]
	if !ok {
		return link, fmt.Errorf("no link %q in the cluster file", name)
	}
	return link, nil
}
