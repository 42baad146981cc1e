package inventory

import (
	"fmt"
	"net/netip"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

func (r *reader) hosts(n *yaml.Node) []Host {
	var all []Host
	r.entries(n, "hosts", func(key, value *yaml.Node) {
		r.name(key, "host")
		all = append(all, r.host(key, value))
	})
	return all
}

func (r *reader) host(key, value *yaml.Node) Host {
	h := Host{Name: key.Value, Pos: r.pos(key)}
	subject := "host " + strconv.Quote(h.Name)
	var ways []string
	way := func(name string, read func(*yaml.Node)) field {
		return field{name, func(n *yaml.Node) { ways = append(ways, name); read(n) }}
	}
	r.fields(value, subject, []field{
		way("ssh", func(n *yaml.Node) { h.Way, h.SSH = BySSH, r.destination(n, subject) }),
		way("exec", func(n *yaml.Node) { h.Way, h.Exec = ByExec, r.argv(n, subject) }),
		way("local", func(n *yaml.Node) { h.Way = r.local(n, subject) }),
		way("of", func(n *yaml.Node) { h.Of = r.hostName(n, subject) }),
		{"namespace", func(n *yaml.Node) { h.Namespace = r.matching(n, subject, namespacePattern, "red") }},
		{"cpus", func(n *yaml.Node) { h.CPUs = r.cpus(n, subject) }},
		{"become", func(n *yaml.Node) { h.Become = r.oneOf(n, subject, "root") }},
		{"address", func(n *yaml.Node) { h.Address = r.matching(n, subject, addressPattern, "10.0.0.1") }},
		{"interfaces", func(n *yaml.Node) { h.Interfaces = r.interfaces(n, subject) }},
		{"tags", func(n *yaml.Node) { h.Tags = r.texts(n, subject) }},
		{"shared", func(n *yaml.Node) { h.Shared = r.truth(n, subject) }},
		{"tune", func(n *yaml.Node) { h.Tune = r.settings(n) }},
	})
	switch {
	case len(ways) > 1:
		r.mistake(key, "keep one of them", "%s: reached by %s at once", subject, strings.Join(ways, " and "))
	case len(ways) == 0:
		h.Way, h.SSH = BySSH, Destination{Host: h.Name}
	}
	if h.Of != "" && h.Namespace == "" && h.CPUs == "" && len(ways) == 1 {
		r.mistake(key, "add namespace: or cpus:", "%s: nothing tells it from %q", subject, h.Of)
	}
	return h
}

var (
	namespacePattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$`)
	cpusPattern      = regexp.MustCompile(`^[0-9]{1,5}(-[0-9]{1,5})?(,[0-9]{1,5}(-[0-9]{1,5})?)*$`)
	addressPattern   = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._:%-]*$|^::[A-Fa-f0-9:.]*$`)
	destination      = regexp.MustCompile(`^(?:([^@\s:]+)@)?(?:\[([0-9A-Fa-f:.%a-z]+)\](?::([0-9]{1,5}))?|([A-Za-z0-9_][A-Za-z0-9_.-]*)(?::([0-9]{1,5}))?|([0-9A-Fa-f]*:[0-9A-Fa-f:.]*:[0-9A-Fa-f:.]*))$`)
)

// destination reads [user@]host[:port]; an IPv6 address with a port stands in
// brackets.
func (r *reader) destination(n *yaml.Node, subject string) Destination {
	text := r.text(n, subject)
	found := destination.FindStringSubmatch(text)
	if found == nil {
		if text != "" {
			r.mistake(n, "write user@host, user@host:port or an alias of ~/.ssh/config", "%s: %q is no ssh destination", subject, text)
		}
		return Destination{}
	}
	d := Destination{User: found[1], Host: found[2] + found[4] + found[6], Port: found[3] + found[5]}
	if port, _ := strconv.Atoi(d.Port); d.Port != "" && (port < 1 || port > 65535) {
		r.mistake(n, "ports are 1 to 65535", "%s: no port %q", subject, d.Port)
	}
	return d
}

func (r *reader) argv(n *yaml.Node, subject string) []string {
	if resolved(n).Kind != yaml.SequenceNode {
		r.mistake(n, "write the words of the command as a list: [docker, exec, -i, name]", "%s: exec is not a list of words", subject)
		return nil
	}
	argv := r.texts(n, subject)
	r.checkStream(n, subject, argv)
	return argv
}

// cpus reads a CPU list, in one word or as a list of ranges.
func (r *reader) cpus(n *yaml.Node, subject string) string {
	list := strings.Join(r.texts(n, subject), ",")
	if list != "" && !cpusPattern.MatchString(list) {
		r.mistake(n, `write it like "0-3,8"`, "%s: %q cannot be read", subject, list)
	}
	return list
}

func (r *reader) local(n *yaml.Node, subject string) Way {
	if !r.truth(n, subject) && resolved(n).Tag == "!!bool" {
		r.mistake(n, "leave the key out", "%s: local is only ever true", subject)
	}
	return ByLocal
}

func (r *reader) hostName(n *yaml.Node, subject string) string {
	name := r.text(n, subject)
	if name != "" {
		r.uses = append(r.uses, use{node: resolved(n), subject: subject})
	}
	return name
}

func (r *reader) interfaces(n *yaml.Node, subject string) []Interface {
	var all []Interface
	r.entries(n, subject, func(key, value *yaml.Node) {
		if !namePattern.MatchString(key.Value) || strings.Contains(key.Value, ".") {
			r.mistake(key, "use letters, digits and _ -", "%s: interface %q: not a name", subject, key.Value)
		}
		i := Interface{Name: key.Value, Pos: r.pos(key)}
		if resolved(value).Kind != yaml.MappingNode {
			i.Address, i.Prefix = r.interfaceAddress(value, subject)
		} else {
			r.fields(value, subject, []field{
				{"address", func(n *yaml.Node) { i.Address, i.Prefix = r.interfaceAddress(n, subject) }},
				{"device", func(n *yaml.Node) { i.Device = r.matching(n, subject, devicePattern, "eth1") }},
			})
		}
		if i.Prefix != "" && i.Device == "" {
			r.mistake(value, fmt.Sprintf("name it: {address: %s/%s, device: eth1}; or leave out /%s if it has the address already", i.Address, i.Prefix, i.Prefix),
				"%s: interface %q: an address with a prefix is set by mpf, on a device", subject, i.Name)
		}
		all = append(all, i)
	})
	return all
}

// interfaceAddress reads an address, with the length of its network's prefix
// where mpf is to set it.
func (r *reader) interfaceAddress(n *yaml.Node, subject string) (address, prefix string) {
	text := r.text(n, subject)
	if !strings.Contains(text, "/") {
		return r.matching(n, subject, addressPattern, "192.168.0.1"), ""
	}
	parsed, err := netip.ParsePrefix(text)
	if err != nil {
		r.mistake(n, `write it like "192.168.0.1/24"`, "%s: %q cannot be read", subject, text)
		return "", ""
	}
	return parsed.Addr().String(), strconv.Itoa(parsed.Bits())
}

var devicePattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.@-]{0,14}$`)
