package act

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.starlark.net/starlark"
	"go.starlark.net/starlarkstruct"

	"mpf/engine"
	"mpf/engine/spelling"
	"mpf/starlib/convert"
	"mpf/starlib/script"
)

func clusterMethods() []method {
	return []method{{
		script.Doc{
			Signature: "ctx.addr(role, interface = None)",
			Text:      "The address at which other hosts reach the host that plays a role, or of one of its interfaces.",
			When:      inSteps, Checks: "the role is played by exactly one host, which has the interface",
			Error: "`addr: role \"server\" is played by 2 hosts (write ctx.hosts(role)[i].address)`",
		}, (*Context).addr}, {
		script.Doc{
			Signature: "ctx.hosts(role = None)",
			Text:      "The hosts that play a role, in their order, each as ctx.host is; without a role, those of this step's own.",
			When:      inSteps, Checks: "the role exists", Error: "`hosts: role \"clint\" is not declared (did you mean \"client\"?)`",
		}, (*Context).hosts}, {
		script.Doc{
			Signature: "ctx.link(name = None)",
			Text:      "A link of the cluster as this host sees it, with name, near and far; an end has host, interface and address; without a name, the link that the step was declared with.",
			When:      inSteps, Checks: "the link exists and one of its ends is on this host",
			Error: "`link \"data\": neither end is on host \"node3\"`",
		}, (*Context).link},
	}
}

// A roleName is a parameter that takes a role or its name.
type roleName string

func (r *roleName) Unpack(v starlark.Value) error {
	if named, ok := v.(Named); ok {
		*r = roleName(named.RoleName())
		return nil
	}
	text, ok := starlark.AsString(v)
	if !ok {
		return fmt.Errorf("got %s, want a role or its name", v.Type())
	}
	*r = roleName(text)
	return nil
}

func (c *Context) playing(who string, role roleName) ([]engine.HostInfo, error) {
	var names []string
	for _, r := range c.rc.Experiment.Roles {
		names = append(names, r.Name)
	}
	if !slices.Contains(names, string(role)) {
		p := script.Problemf("%s: role %q is not declared", who, role)
		if near := spelling.Nearest(string(role), names); near != "" {
			return nil, p.Mend("did you mean %q?", near)
		}
		return nil, p.Mend("the roles: %s", strings.Join(names, ", "))
	}
	return c.rc.Cluster.Hosts(string(role))
}

func (c *Context) addr(call *script.Call) (starlark.Value, error) {
	var role roleName
	var nic convert.Text
	if err := call.Unpack("role", &role, "interface??", &nic); err != nil {
		return nil, err
	}
	hosts, err := c.playing("addr", role)
	if err != nil {
		return nil, err
	}
	if len(hosts) != 1 {
		return nil, script.Problemf("addr: role %q is played by %d hosts", role, len(hosts)).
			Mend("write ctx.hosts(role)[i].address")
	}
	if nic == "" {
		return starlark.String(hosts[0].Address), nil
	}
	address, ok := hosts[0].Interfaces[string(nic)]
	if !ok {
		return nil, script.Problemf("addr: host %q has no interface %q", hosts[0].Name, nic).
			Mend("its interfaces: %s", strings.Join(slices.Sorted(maps.Keys(hosts[0].Interfaces)), ", "))
	}
	return starlark.String(address), nil
}

func (c *Context) hosts(call *script.Call) (starlark.Value, error) {
	role := roleName(c.rc.Role)
	if err := call.Unpack("role??", &role); err != nil {
		return nil, err
	}
	infos, err := c.playing("hosts", role)
	if err != nil {
		return nil, err
	}
	items := make([]starlark.Value, len(infos))
	for i, info := range infos {
		items[i] = hostOf(info)
	}
	return starlark.NewList(items), nil
}

// hostOf shows a host to a script, frozen.
func hostOf(info engine.HostInfo) starlark.Value {
	tags := make([]engine.Value, len(info.Tags))
	for i, tag := range info.Tags {
		tags[i] = tag
	}
	host := starlarkstruct.FromStringDict(starlark.String("host"), starlark.StringDict{
		"name":       starlark.String(info.Name),
		"address":    starlark.String(info.Address),
		"interfaces": dictOf(info.Interfaces),
		"tags":       convert.Starlark(tags),
		"facts":      dictOf(info.Facts),
	})
	host.Freeze()
	return host
}

func dictOf[V any](m map[string]V) *starlark.Dict {
	d := starlark.NewDict(len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		// Setting a text key of a fresh dict cannot fail.
		_ = d.SetKey(starlark.String(name), convert.Starlark(m[name]))
	}
	return d
}

func (c *Context) link(call *script.Call) (starlark.Value, error) {
	name := convert.Text(c.rc.Link)
	if err := call.Unpack("name??", &name); err != nil {
		return nil, err
	}
	if name == "" {
		return nil, errors.New("link: the step was declared without a link: write its name")
	}
	link, err := c.rc.Cluster.Link(string(name))
	if err != nil {
		return nil, err
	}
	near := slices.IndexFunc(link.Ends[:], func(e engine.LinkEnd) bool { return e.Host == c.rc.Host.Name })
	if near < 0 {
		return nil, fmt.Errorf("link %q: neither end is on host %q", name, c.rc.Host.Name)
	}
	return starlarkstruct.FromStringDict(starlark.String("link"), starlark.StringDict{
		"name": starlark.String(link.Name), "near": endOf(link.Ends[near]), "far": endOf(link.Ends[1-near]),
	}), nil
}

func endOf(e engine.LinkEnd) starlark.Value {
	return starlarkstruct.FromStringDict(starlark.String("end"), starlark.StringDict{
		"host": starlark.String(e.Host), "interface": starlark.String(e.Interface), "address": starlark.String(e.Address),
	})
}
