package sshconfig

import (
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mpf/engine"
)

// Resolve returns the settings of a destination. A user and a port that were
// given with it come before those of the configuration.
func (c *Config) Resolve(alias, user, port string) (Settings, error) {
	m := &matcher{alias: alias, found: found{values: map[string]first{}}}
	m.walk(c.lines, true, false)
	if m.failed != nil {
		return Settings{}, m.failed
	}
	r := resolution{config: c, found: m.found}
	r.place(alias, user, port)
	r.trust()
	r.identities()
	r.algorithms()
	r.way()
	r.settings.Warnings = r.found.warnings
	return r.settings, r.failed
}

// A resolution puts tokens into what matched.
type resolution struct {
	config   *Config
	found    found
	settings Settings
	failed   error
}

func (r *resolution) fail(pos engine.Pos, format string, args ...any) {
	if r.failed == nil {
		r.failed = engine.Mistake{Pos: pos, Message: fmt.Sprintf(format, args...)}
	}
}

func (r *resolution) word(name, otherwise string) string {
	if v, ok := r.found.values[name]; ok {
		return v.args[0]
	}
	return otherwise
}

// place fills where the host is and who logs in.
func (r *resolution) place(alias, user, port string) {
	s := &r.settings
	s.Alias = alias
	if s.User = user; user == "" {
		s.User = r.word("user", r.config.user.Name)
	}
	if s.Port = port; port == "" {
		s.Port = r.word("port", "22")
	}
	if n, err := strconv.Atoi(s.Port); err != nil || n < 1 || n > 65535 {
		r.fail(r.found.values["port"].pos, "port %q: not 1 to 65535", s.Port)
	}
	s.HostName = r.expand("hostname", r.word("hostname", alias), r.found.values["hostname"].pos, map[byte]string{'h': alias})
	if seconds := r.word("connecttimeout", "none"); seconds != "none" {
		n, err := strconv.Atoi(seconds)
		if err != nil || n < 0 {
			r.fail(r.found.values["connecttimeout"].pos, "connecttimeout %q: not a number of seconds", seconds)
		}
		s.ConnectTimeout = time.Duration(n) * time.Second
	}
}

// trust fills where host keys are looked up. A user's file that is not there
// holds no key; that is not an error.
func (r *resolution) trust() {
	s := &r.settings
	s.HostKeyAlias = r.word("hostkeyalias", "")
	home := filepath.Join(r.config.user.Home, ".ssh")
	s.KnownHosts = append(r.paths("userknownhostsfile", filepath.Join(home, "known_hosts"), filepath.Join(home, "known_hosts2")),
		r.paths("globalknownhostsfile", "/etc/ssh/ssh_known_hosts", "/etc/ssh/ssh_known_hosts2")...)
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
		for _, name := range []string{"id_rsa", "id_ecdsa", "id_ed25519"} {
			s.IdentityFiles = append(s.IdentityFiles, filepath.Join(r.config.user.Home, ".ssh", name))
		}
	}
	r.agent()
}

// agent fills the socket of the ssh-agent.
func (r *resolution) agent() {
	v, ok := r.found.values["identityagent"]
	switch {
	case !ok || v.args[0] == "SSH_AUTH_SOCK":
		r.settings.IdentityAgent = r.config.user.Getenv("SSH_AUTH_SOCK")
	case strings.EqualFold(v.args[0], "none"):
	case strings.HasPrefix(v.args[0], "$") && !strings.HasPrefix(v.args[0], "${"):
		r.settings.IdentityAgent = r.config.user.Getenv(v.args[0][1:])
	default:
		r.settings.IdentityAgent = r.path("identityagent", v.args[0], v.pos)
	}
}

// algorithms fills which of them may be used.
func (r *resolution) algorithms() {
	s := &r.settings
	for word, list := range map[string]*Algorithms{
		"KexAlgorithms": &s.KexAlgorithms, "HostKeyAlgorithms": &s.HostKeyAlgorithms, "Ciphers": &s.Ciphers,
		"MACs": &s.MACs, "PubkeyAcceptedAlgorithms": &s.PubkeyAcceptedAlgorithms,
	} {
		if v, ok := r.found.values[strings.ToLower(word)]; ok {
			*list = Algorithms{Text: v.args[0], Word: word, Pos: v.pos}
		}
	}
}

// way fills the hops.
func (r *resolution) way() {
	v, ok := r.found.values["proxyjump"]
	if !ok || strings.EqualFold(v.args[0], "none") {
		return
	}
	for _, text := range strings.Split(v.args[0], ",") {
		jump, err := parseJump(text)
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
