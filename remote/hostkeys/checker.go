package hostkeys

import (
	"bytes"
	"fmt"
	"net"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// A Checker decides about the keys of one host.
type Checker struct {
	HostName  string // where the connection goes
	Port      string
	Alias     string   // looked up in place of both, or empty
	Files     []string // a new key goes into the first
	Allowed   []string // algorithms, best first; nil: the usual ones
	SignedBy  []string // algorithms by which authorities may sign; nil: the usual ones
	Revoked   []string // files of keys that are refused; each has to be there
	MinRSA    int      // bits of an RSA key, or 0
	AcceptNew bool
}

// Name is how the host is called in known_hosts.
func (c Checker) Name() string {
	if c.Alias != "" {
		return strings.ToLower(c.Alias)
	}
	host := strings.ToLower(c.HostName)
	if c.Port == "" || c.Port == "22" {
		return host
	}
	return "[" + host + "]:" + c.Port
}

// about are the entries of the host. One without its port counts where there is
// none with it, as for ssh.
func (c Checker) about(entries []entry) []entry {
	pick := func(name string) []entry {
		var found []entry
		for _, e := range entries {
			if e.marker != "revoked" && e.matches(name) {
				found = append(found, e)
			}
		}
		return found
	}
	found := pick(c.Name())
	if len(found) == 0 && c.Alias == "" {
		found = pick(strings.ToLower(c.HostName))
	}
	return found
}

// Check is an ssh.HostKeyCallback.
func (c Checker) Check(_ string, _ net.Addr, key ssh.PublicKey) error {
	entries, err := readFiles(c.Files)
	if err != nil {
		return err
	}
	revoked, err := readRevoked(c.Revoked)
	if err != nil {
		return err
	}
	entries = append(entries, revoked...)
	if err := c.checkSize(key); err != nil {
		return err
	}
	if cert, ok := key.(*ssh.Certificate); ok {
		return c.checkCertificate(entries, cert)
	}
	err = c.checkKey(entries, key)
	if _, unknown := err.(*UnknownError); unknown && c.AcceptNew {
		return c.accept(key)
	}
	return err
}

func (c Checker) checkKey(entries []entry, key ssh.PublicKey) error {
	if e, revoked := findRevoked(entries, key); revoked {
		return &RevokedError{c, key, e.file, e.line}
	}
	var known []entry
	for _, e := range c.about(entries) {
		if e.marker == "" && sameKey(e.key, key) {
			return nil
		}
		known = append(known, e)
	}
	if len(known) == 0 || !c.knownWithPort(known) {
		return &UnknownError{c, key}
	}
	return &ChangedError{Checker: c, Key: key, File: known[0].file, Line: known[0].line, Known: known[0].key}
}

// knownWithPort reports whether the host itself is known; a key of the same
// machine on port 22 says nothing about another port.
func (c Checker) knownWithPort(known []entry) bool {
	return slices.ContainsFunc(known, func(e entry) bool { return e.matches(c.Name()) })
}

// checkCertificate asks for a known authority; the certificate must name the
// host and be valid now.
func (c Checker) checkCertificate(entries []entry, cert *ssh.Certificate) error {
	for _, key := range []ssh.PublicKey{cert.Key, cert.SignatureKey} {
		if e, revoked := findRevoked(entries, key); revoked {
			return &RevokedError{c, key, e.file, e.line}
		}
	}
	if by := cert.Signature.Format; !slices.Contains(c.signedBy(), by) {
		return &CertificateError{c, cert, fmt.Errorf("its signature is by %s, which CASignatureAlgorithms does not allow", by)}
	}
	principal := c.HostName
	if c.Alias != "" {
		principal = c.Alias
	}
	checker := ssh.CertChecker{
		IsHostAuthority: func(authority ssh.PublicKey, _ string) bool {
			return slices.ContainsFunc(c.about(entries), func(e entry) bool {
				return e.marker == "cert-authority" && sameKey(e.key, authority)
			})
		},
	}
	if err := checker.CheckHostKey(net.JoinHostPort(principal, "22"), nil, cert); err != nil {
		return &CertificateError{c, cert, err}
	}
	return nil
}

func findRevoked(entries []entry, key ssh.PublicKey) (entry, bool) {
	for _, e := range entries {
		if e.marker == "revoked" && sameKey(e.key, key) {
			return e, true
		}
	}
	return entry{}, false
}

func sameKey(a, b ssh.PublicKey) bool { return bytes.Equal(a.Marshal(), b.Marshal()) }
