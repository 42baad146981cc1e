package sshconfig

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"mpf/engine"
)

// A given is a destination with what was given beside it.
type given struct {
	alias, user, port string
}

// A matcher walks the lines for one destination, as ssh does: once, and once
// more where the configuration asks for that.
type matcher struct {
	ctx    context.Context // of questions to the resolver
	user   User
	given  given
	host   string // which blocks are for: the alias, then the host that came of it
	final  bool   // this is the second time
	again  bool   // there has to be a second time
	found  found
	failed error
}

// walk applies lines. active says whether the block at their start matches;
// never that no block in them may. It returns whether the last block matches.
func (m *matcher) walk(lines []line, active, never bool) bool {
	outer := active
	for _, l := range lines {
		switch l.word {
		case endOfFile:
			active = outer
		case "host":
			active = !never && matchPatterns(l.args, m.host)
		case "match":
			active = m.match(l, never)
		case "include":
			m.walk(l.included, active, !active)
		default:
			if active {
				m.apply(l)
			}
		}
	}
	return active
}

func (m *matcher) apply(l line) {
	switch {
	case l.word == "identityfile":
		m.found.identities = appendNew(m.found.identities, l)
	case l.word == "certificatefile":
		m.found.certificates = appendNew(m.found.certificates, l)
	case !slices.Contains(supported, l.word):
		m.other(l)
	case !m.settled(l):
		m.found.values[l.word] = first{args: l.args, pos: l.pos}
	}
}

// settled reports whether an earlier line decided, or this one does not.
// ProxyCommand and ProxyJump are one decision, but that no jump leaves open
// whether there is a command; and ConnectTimeout none leaves it open at all.
func (m *matcher) settled(l line) bool {
	_, there := m.found.values[l.word]
	_, commanded := m.value("proxycommand")
	jump, jumped := m.value("proxyjump")
	switch l.word {
	case "proxyjump":
		there = there || commanded
	case "proxycommand":
		there = there || jumped && !strings.EqualFold(jump, "none")
	case "connecttimeout":
		there = there || l.args[0] == "none"
	}
	return there
}

// value is the first argument of a word that matched.
func (m *matcher) value(word string) (string, bool) {
	v, there := m.found.values[word]
	if !there {
		return "", false
	}
	return v.args[0], true
}

func (m *matcher) warn(pos engine.Pos, hint, format string, args ...any) {
	warning := engine.Mistake{Pos: pos, Message: fmt.Sprintf(format, args...), Hint: hint}
	if !slices.Contains(m.found.warnings, warning) {
		m.found.warnings = append(m.found.warnings, warning)
	}
}

// appendNew adds a path that was not named before.
func appendNew(all []located, l line) []located {
	if slices.ContainsFunc(all, func(other located) bool { return other.text == l.args[0] }) {
		return all
	}
	return append(all, located{text: l.args[0], pos: l.pos})
}
