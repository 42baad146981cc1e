package sshconfig

import (
	"net/netip"
	"strconv"
	"strings"
)

// canonicalizes reports whether names are to be made whole.
func (m *matcher) canonicalizes() bool {
	how, _ := m.value("canonicalizehostname")
	return how != "" && !strings.EqualFold(how, "no") && !strings.EqualFold(how, "false") && !strings.EqualFold(how, "none")
}

// canonical is the host under its whole name, as CanonicalizeHostname wants it:
// the first of the domains that has it. A name that a jump host is to look up is
// left alone unless always is said.
func (m *matcher) canonical(host string) string {
	how, _ := m.value("canonicalizehostname")
	if !m.canonicalizes() || isAddress(host) || m.proxied() && !strings.EqualFold(how, "always") {
		return host
	}
	if !strings.HasSuffix(host, ".") && strings.Count(host, ".") > m.maxDots() {
		return m.followed(host, host)
	}
	for _, name := range m.candidates(host) {
		if cname, err := m.user.LookupCNAME(m.ctx, name); err == nil {
			return m.permitted(strings.TrimSuffix(name, "."), cname)
		}
	}
	if local, _ := m.value("canonicalizefallbacklocal"); strings.EqualFold(local, "no") {
		m.fail(m.found.values["canonicalizehostname"].pos, "host %q: none of CanonicalDomains has it", host)
	}
	return m.followed(host, host)
}

// candidates are the whole names that a host may have. The dot at the end keeps
// the resolver from adding domains of its own.
func (m *matcher) candidates(host string) []string {
	if strings.HasSuffix(host, ".") {
		return []string{host}
	}
	var names []string
	for _, domain := range m.found.values["canonicaldomains"].args {
		if strings.EqualFold(domain, "none") {
			break
		}
		names = append(names, host+"."+domain+".")
	}
	return names
}

// followed looks a name up for the sake of where it leads, if that matters.
func (m *matcher) followed(host, otherwise string) string {
	if len(m.found.values["canonicalizepermittedcnames"].args) == 0 {
		return otherwise
	}
	cname, err := m.user.LookupCNAME(m.ctx, host)
	if err != nil {
		return otherwise
	}
	return m.permitted(host, cname)
}

// permitted is what a name leads to, where a rule allows to go there.
func (m *matcher) permitted(name, cname string) string {
	cname = strings.ToLower(strings.TrimSuffix(cname, "."))
	for _, rule := range m.found.values["canonicalizepermittedcnames"].args {
		from, to, _ := strings.Cut(rule, ":")
		if matchHost(from, name) && matchHost(to, cname) {
			return cname
		}
	}
	return name
}

func (m *matcher) maxDots() int {
	text, there := m.value("canonicalizemaxdots")
	if !there {
		return 1
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		m.fail(m.found.values["canonicalizemaxdots"].pos, "CanonicalizeMaxDots %q: not a number", text)
	}
	return n
}

// proxied reports whether something on the way looks the name up.
func (m *matcher) proxied() bool {
	for _, word := range []string{"proxycommand", "proxyjump"} {
		if way, there := m.value(word); there && !strings.EqualFold(way, "none") {
			return true
		}
	}
	return false
}

func isAddress(host string) bool {
	_, err := netip.ParseAddr(host)
	return err == nil
}
