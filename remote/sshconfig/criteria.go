package sshconfig

import (
	"fmt"
	"net"
	"net/netip"
	"strings"

	"mpf/engine"
)

// match evaluates the criteria of a Match line; all of them must hold. A line
// that never may match asks for a second time all the same.
func (m *matcher) match(l line, never bool) bool {
	holds := !never
	for args := l.args; len(args) > 0; {
		criterion, negated := strings.CutPrefix(args[0], "!")
		name, arg, joined := strings.Cut(criterion, "=")
		name, args = strings.ToLower(name), args[1:]
		if !joined && !alone(name) {
			if len(args) == 0 {
				return m.skip(l, name, "says nothing to compare with")
			}
			arg, args = args[0], args[1:]
		}
		if name == "exec" {
			if !holds {
				continue
			}
			return m.skip(l, name, "is a command, and mpf executes none")
		}
		is, known := m.criterion(l, name, arg)
		if !known {
			return m.skip(l, name, "is not known here")
		}
		if name == "final" && !negated {
			m.again = true
		}
		holds = holds && is != negated
	}
	return holds
}

// alone reports whether nothing stands behind a criterion.
func alone(name string) bool { return name == "all" || name == "canonical" || name == "final" }

func (m *matcher) skip(l line, name, why string) bool {
	m.warn(l.pos, "put what the host needs into a Host block", "Match block: skipped, its criterion %q %s", name, why)
	return false
}

// criterion evaluates one of them. What mpf executes is a command, so that is
// the type of its sessions.
func (m *matcher) criterion(l line, name, arg string) (is, known bool) {
	switch name {
	case "all":
		return true, true
	case "canonical", "final":
		return m.final, true
	case "host":
		return matchHost(arg, m.hostName(l.pos)), true
	case "originalhost":
		return matchHost(arg, m.given.alias), true
	case "user":
		return matchList(arg, m.login()), true
	case "localuser":
		return matchList(arg, m.user.Name), true
	case "tagged":
		tag, _ := m.value("tag")
		return arg == tag || tag != "" && matchList(arg, tag), true
	case "sessiontype":
		return matchList(arg, "exec"), true
	case "localnetwork":
		return m.inNetwork(l.pos, arg), true
	}
	return false, false
}

// hostName is where the host is as far as that is known yet.
func (m *matcher) hostName(pos engine.Pos) string {
	if name, there := m.value("hostname"); there && !m.final {
		return m.expand("hostname", name, pos, map[byte]string{'h': m.given.alias})
	}
	return m.host
}

// login is who logs in as far as that is known yet.
func (m *matcher) login() string {
	if m.given.user != "" {
		return m.given.user
	}
	if user, there := m.value("user"); there {
		return user
	}
	return m.user.Name
}

// inNetwork reports whether the controller has an address in one of the
// networks, and in none that is negated.
func (m *matcher) inNetwork(pos engine.Pos, networks string) bool {
	own, err := net.InterfaceAddrs()
	if err != nil {
		m.fail(pos, "match localnetwork: %v", err)
		return false
	}
	for _, addr := range own {
		if prefix, err := netip.ParsePrefix(addr.String()); err == nil && m.within(pos, networks, prefix.Addr().Unmap()) {
			return true
		}
	}
	return false
}

func (m *matcher) within(pos engine.Pos, networks string, addr netip.Addr) bool {
	found := false
	for _, text := range strings.Split(networks, ",") {
		text, negated := strings.CutPrefix(text, "!")
		network, err := netip.ParsePrefix(text)
		if one, oneErr := netip.ParseAddr(text); oneErr == nil {
			network, err = netip.PrefixFrom(one, one.BitLen()), nil
		}
		if err != nil {
			m.fail(pos, "match localnetwork %q: no address with a prefix, as 10.0.0.0/8", text)
			return false
		}
		if network.Contains(addr) && negated {
			return false
		}
		found = found || network.Contains(addr)
	}
	return found
}

func (m *matcher) fail(pos engine.Pos, format string, args ...any) {
	if m.failed == nil {
		m.failed = engine.Mistake{Pos: pos, Message: fmt.Sprintf(format, args...)}
	}
}
