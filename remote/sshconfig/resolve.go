package sshconfig

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"mpf/engine"
)

// Resolve returns the settings of a destination. A user and a port that were
// given with it come before those of the configuration.
func (c *Config) Resolve(ctx context.Context, alias, user, port string) (Settings, error) {
	m := &matcher{ctx: ctx, user: c.user, given: given{alias, user, port}, host: alias, found: found{values: map[string]first{}}}
	m.walk(c.lines, true, false)
	host := m.canonical(strings.ToLower(m.hostName(m.found.values["hostname"].pos)))
	m.final, m.host = true, host
	if m.again || m.canonicalizes() {
		m.walk(c.lines, true, false)
	}
	if m.failed != nil {
		return Settings{}, m.failed
	}
	r := resolution{matcher: m}
	r.place()
	r.trust()
	r.identities()
	r.algorithms()
	r.way()
	r.settings.Warnings = r.found.warnings
	return r.settings, r.failed
}

// A resolution puts tokens into what matched.
type resolution struct {
	*matcher
	settings Settings
}

func (r *resolution) word(name, otherwise string) string {
	if value, ok := r.value(name); ok {
		return value
	}
	return otherwise
}

// place fills where the host is and who logs in.
func (r *resolution) place() {
	s := &r.settings
	s.Alias, s.HostName, s.User, s.Port = r.given.alias, r.host, r.login(), r.given.port
	if s.Port == "" {
		s.Port = r.word("port", "22")
	}
	if n, err := strconv.Atoi(s.Port); err != nil || n < 1 || n > 65535 {
		r.fail(r.found.values["port"].pos, "port %q: not 1 to 65535", s.Port)
	}
	s.AddressFamily = strings.ToLower(r.word("addressfamily", "any"))
	if !slices.Contains([]string{"any", "inet", "inet6"}, s.AddressFamily) {
		r.fail(r.found.values["addressfamily"].pos, "AddressFamily %q: not any, inet or inet6", s.AddressFamily)
	}
	s.BindAddress, s.BindInterface = r.word("bindaddress", ""), r.word("bindinterface", "")
	if text := r.word("connecttimeout", "none"); text != "none" {
		var err error
		if s.ConnectTimeout, err = parseTime(text); err != nil {
			r.fail(r.found.values["connecttimeout"].pos, "ConnectTimeout %q: %v", text, err)
		}
	}
}

// target is what tokens in paths stand for; the key that they mean is that of
// the alias.
func (r *resolution) target() target {
	t := r.matcher.target(engine.Pos{})
	t.key = r.word("hostkeyalias", r.given.alias)
	return t
}

// trust fills where host keys are looked up. A user's file that is not there
// holds no key; that is not an error.
func (r *resolution) trust() {
	s := &r.settings
	s.HostKeyAlias = r.word("hostkeyalias", "")
	home := filepath.Join(r.user.Home, ".ssh")
	s.KnownHosts = append(r.paths("userknownhostsfile", filepath.Join(home, "known_hosts"), filepath.Join(home, "known_hosts2")),
		r.paths("globalknownhostsfile", "/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2")...)
	s.RevokedHostKeys = r.paths("revokedhostkeys")
	bits, err := strconv.Atoi(r.word("requiredrsasize", "0"))
	if err != nil || bits < 0 {
		r.fail(r.found.values["requiredrsasize"].pos, "RequiredRSASize %q: not a number of bits", r.word("requiredrsasize", ""))
	}
	s.RequiredRSASize = bits
}

func (r *resolution) paths(word string, otherwise ...string) []string {
	v, ok := r.found.values[word]
	if !ok {
		return otherwise
	}
	var paths []string
	for _, text := range v.args {
		if !strings.EqualFold(text, "none") {
			paths = append(paths, r.path(word, text, v.pos))
		}
	}
	return paths
}

func (r *resolution) identities() {
	s := &r.settings
	s.IdentitiesOnly = strings.EqualFold(r.word("identitiesonly", "no"), "yes")
	for _, l := range r.found.identities {
		s.IdentitiesGiven = true
		if !strings.EqualFold(l.text, "none") {
			s.IdentityFiles = append(s.IdentityFiles, r.path("identityfile", l.text, l.pos))
		}
	}
	for _, l := range r.found.certificates {
		if !strings.EqualFold(l.text, "none") {
			s.CertificateFiles = append(s.CertificateFiles, r.path("certificatefile", l.text, l.pos))
		}
	}
	if !s.IdentitiesGiven {
		for _, name := range []string{"id_rsa", "id_ecdsa", "id_ecdsa_sk", "id_ed25519", "id_ed25519_sk"} {
			s.IdentityFiles = append(s.IdentityFiles, filepath.Join(r.user.Home, ".ssh", name))
		}
	}
	r.agent()
}

// agent fills the socket of the ssh-agent.
func (r *resolution) agent() {
	v, ok := r.found.values["identityagent"]
	switch {
	case !ok || v.args[0] == "SSH_AUTH_SOCK":
		r.settings.IdentityAgent = r.user.Getenv("SSH_AUTH_SOCK")
	case strings.EqualFold(v.args[0], "none"):
	case strings.HasPrefix(v.args[0], "$") && !strings.HasPrefix(v.args[0], "${"):
		r.settings.IdentityAgent = r.user.Getenv(v.args[0][1:])
	default:
		r.settings.IdentityAgent = r.path("identityagent", v.args[0], v.pos)
	}
}

// algorithms fills which of them may be used.
func (r *resolution) algorithms() {
	s := &r.settings
	for word, list := range map[string]*Algorithms{
		"KexAlgorithms": &s.KexAlgorithms, "HostKeyAlgorithms": &s.HostKeyAlgorithms, "Ciphers": &s.Ciphers,
		"MACs": &s.MACs, "PubkeyAcceptedAlgorithms": &s.PubkeyAcceptedAlgorithms, "CASignatureAlgorithms": &s.CASignatureAlgorithms,
	} {
		if v, ok := r.found.values[strings.ToLower(word)]; ok {
			*list = Algorithms{Text: v.args[0], Word: word, Pos: v.pos}
		}
	}
}

// way fills the hops.
func (r *resolution) way() {
	if v, ok := r.found.values["proxycommand"]; ok && !strings.EqualFold(v.args[0], "none") && r.failed == nil {
		r.failed = engine.Mistake{Pos: v.pos, Message: fmt.Sprintf("host %q: ProxyCommand is not supported", r.given.alias),
			Hint: "use ProxyJump, or exec: [...] in the cluster file"}
	}
	v, ok := r.found.values["proxyjump"]
	if !ok || strings.EqualFold(v.args[0], "none") {
		return
	}
	t := r.target()
	all := r.expand("proxyjump", strings.Join(v.args, " "), v.pos, map[byte]string{'h': t.host, 'n': t.alias, 'p': t.port, 'r': t.login})
	for _, text := range strings.Split(all, ",") {
		jump, err := parseJump(strings.TrimSpace(text))
		if err != nil {
			r.fail(v.pos, "proxyjump %q: %v", text, err)
			return
		}
		r.settings.Jumps = append(r.settings.Jumps, jump)
	}
}

// parseJump reads [user@]host[:port] or ssh://[user@]host[:port].
func parseJump(text string) (Jump, error) {
	var j Jump
	rest := strings.TrimSuffix(strings.TrimPrefix(text, "ssh://"), "/")
	if at := strings.LastIndexByte(rest, '@'); at >= 0 {
		j.User, rest = rest[:at], rest[at+1:]
	}
	j.Host = rest
	if strings.HasPrefix(rest, "[") {
		end := strings.IndexByte(rest, ']')
		if end < 0 {
			return j, fmt.Errorf("a bracket that is not closed")
		}
		j.Host, rest = rest[1:end], rest[end+1:]
		j.Port = strings.TrimPrefix(rest, ":")
	} else if strings.Count(rest, ":") == 1 {
		j.Host, j.Port, _ = strings.Cut(rest, ":")
	}
	if j.Host == "" || strings.HasPrefix(j.Host, "-") {
		return j, fmt.Errorf("not [user@]host[:port]")
	}
	return j, nil
}
