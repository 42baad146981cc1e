package sshconfig

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"mpf/engine"
)

// A matcher walks the lines for one destination, as ssh does.
type matcher struct {
	alias  string
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
			active = !never && matchPatterns(l.args, m.alias)
		case "match":
			active = !never && m.match(l)
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

// match knows `Match all` and skips every other block with a warning.
func (m *matcher) match(l line) bool {
	if len(l.args) == 1 && strings.EqualFold(l.args[0], "all") {
		return true
	}
	m.warn(l.pos, "put what the host needs into a Host block", "Match block: skipped, its conditions are not evaluated")
	return false
}

func (m *matcher) apply(l line) {
	switch l.word {
	case "identityfile":
		m.found.identities = appendNew(m.found.identities, l)
	case "certificatefile":
		m.found.certificates = appendNew(m.found.certificates, l)
	default:
		m.applyFirst(l)
	}
}

func (m *matcher) applyFirst(l line) {
	if _, there := m.found.values[proxyWord(l.word)]; there {
		return
	}
	switch {
	case slices.Contains(supported, l.word), l.word == "proxycommand":
		m.found.values[proxyWord(l.word)] = first{args: l.args, pos: l.pos}
	case l.word == "stricthostkeychecking":
		if lax(l.args[0]) {
			m.warn(l.pos, "", "StrictHostKeyChecking %s: ignored, keys are always checked", l.args[0])
		}
	case !slices.Contains(harmless, l.word):
		m.warn(l.pos, "", "%s: ignored", l.word)
	}
	if l.word == "proxycommand" && !strings.EqualFold(l.args[0], "none") && m.failed == nil {
		m.failed = engine.Mistake{Pos: l.pos, Message: fmt.Sprintf("host %q: ProxyCommand is not supported", m.alias),
			Hint: "use ProxyJump, or exec: [...] in the cluster file"}
	}
}

// proxyWord makes ProxyCommand and ProxyJump one: whichever comes first wins.
func proxyWord(word string) string {
	if word == "proxycommand" {
		return "proxyjump"
	}
	return word
}

func lax(value string) bool {
	return slices.Contains([]string{"no", "off", "accept-new"}, strings.ToLower(value))
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

// matchPatterns reports whether one pattern matches and no negated one does.
func matchPatterns(patterns []string, name string) bool {
	matched := false
	for _, p := range patterns {
		if negated := strings.TrimPrefix(p, "!"); negated != p {
			if matchPattern(negated, name) {
				return false
			}
		} else if matchPattern(p, name) {
			matched = true
		}
	}
	return matched
}

// bracketless makes [ and \, which are letters to OpenSSH, letters to
// filepath.Match; and / too, which it keeps apart.
var bracketless = strings.NewReplacer(`[`, `\[`, `]`, `\]`, `\`, `\\`, `/`, "\x01")

func matchPattern(pattern, name string) bool {
	ok, err := filepath.Match(bracketless.Replace(pattern), strings.ReplaceAll(name, "/", "\x01"))
	return err == nil && ok
}

// supported are the words of which the first value is used.
var supported = []string{
	"hostname", "port", "user", "identitiesonly", "identityagent", "hostkeyalias",
	"userknownhostsfile", "globalknownhostsfile", "proxyjump", "connecttimeout",
	"kexalgorithms", "hostkeyalgorithms", "ciphers", "macs", "pubkeyacceptedalgorithms",
}

// harmless are words that make no difference to a connection of this program,
// which has one channel, no terminal and no forwarding.
var harmless = []string{
	"addkeystoagent", "batchmode", "checkhostip", "clearallforwardings", "compression",
	"connectionattempts", "controlmaster", "controlpath", "controlpersist",
	"dynamicforward", "enableescapecommandline", "escapechar", "exitonforwardfailure",
	"fingerprinthash", "forkafterauthentication", "forwardagent", "forwardx11",
	"forwardx11timeout", "forwardx11trusted", "gatewayports", "gssapiauthentication",
	"gssapidelegatecredentials", "gssapikeyexchange", "hashknownhosts", "ignoreunknown",
	"ipqos", "kbdinteractiveauthentication", "localcommand", "localforward", "loglevel",
	"logverbose", "nohostauthenticationforlocalhost", "numberofpasswordprompts",
	"obscurekeystroketiming", "passwordauthentication", "permitlocalcommand",
	"permitremoteopen", "preferredauthentications", "proxyusefdpass", "rekeylimit",
	"remotecommand", "remoteforward", "requesttty", "sendenv", "serveralivecountmax",
	"serveraliveinterval", "sessiontype", "setenv", "stdinnull", "streamlocalbindmask",
	"streamlocalbindunlink", "syslogfacility", "tcpkeepalive", "tunnel", "tunneldevice",
	"updatehostkeys", "usekeychain", "verifyhostkeydns", "visualhostkey", "xauthlocation",
}
