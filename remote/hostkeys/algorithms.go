package hostkeys

import (
	"slices"

	"golang.org/x/crypto/ssh"
)

// Algorithms are those to ask the host for, best first: of the ones that are
// allowed, those of its known keys. A host that is not known is asked for keys,
// as nobody could vouch for a certificate.
func (c Checker) Algorithms() ([]string, error) {
	entries, err := readFiles(c.Files)
	if err != nil {
		return nil, err
	}
	kinds := kindsOf(c.about(entries))
	if len(kinds) == 0 {
		return c.allowed(func(kind string) bool { return kind != certificate }), nil
	}
	found := c.allowed(func(kind string) bool { return slices.Contains(kinds, kind) })
	if len(found) == 0 {
		return nil, &KindError{c, kinds}
	}
	return found, nil
}

// allowed lists the algorithms of some kinds.
func (c Checker) allowed(use func(kind string) bool) []string {
	names := c.Allowed
	if names == nil {
		names = Usual()
	}
	return slices.DeleteFunc(slices.Clone(names), func(name string) bool { return !use(kindOf(name)) })
}

// signedBy lists the algorithms by which authorities may sign.
func (c Checker) signedBy() []string {
	if c.SignedBy != nil {
		return c.SignedBy
	}
	return slices.Clone(ssh.SupportedAlgorithms().PublicKeyAuths)
}

// kindsOf lists the kinds of key that are known.
func kindsOf(entries []entry) []string {
	var kinds []string
	for _, e := range entries {
		if e.marker == "cert-authority" {
			kinds = append(kinds, certificate)
		} else {
			kinds = append(kinds, e.key.Type())
		}
	}
	return kinds
}

// certificate is a kind of key as well: an authority vouches for each of them.
const certificate = "certificate"

// An algorithm is a way to sign by a kind of key, or by its certificate.
type algorithm struct {
	name, kind string
}

// usual lists the algorithms, best first. SHA-1 is not among them.
var usual = []algorithm{
	{ssh.CertAlgoED25519v01, certificate},
	{ssh.CertAlgoECDSA256v01, certificate},
	{ssh.CertAlgoECDSA384v01, certificate},
	{ssh.CertAlgoECDSA521v01, certificate},
	{ssh.CertAlgoRSASHA512v01, certificate},
	{ssh.CertAlgoRSASHA256v01, certificate},
	{ssh.KeyAlgoED25519, ssh.KeyAlgoED25519},
	{ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA256},
	{ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA384},
	{ssh.KeyAlgoECDSA521, ssh.KeyAlgoECDSA521},
	{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSA},
	{ssh.KeyAlgoRSASHA256, ssh.KeyAlgoRSA},
}

// weak are those that are used only where somebody names them.
var weak = []algorithm{
	{ssh.KeyAlgoRSA, ssh.KeyAlgoRSA},
	{ssh.CertAlgoRSAv01, certificate},
}

// Usual names the algorithms that are used unless something else is allowed.
func Usual() []string { return names(usual) }

// Weak names those that are used only where somebody names them.
func Weak() []string { return names(weak) }

func names(all []algorithm) []string {
	found := make([]string, len(all))
	for i, a := range all {
		found[i] = a.name
	}
	return found
}

// kindOf is the kind of key of an algorithm.
func kindOf(name string) string {
	for _, a := range slices.Concat(usual, weak) {
		if a.name == name {
			return a.kind
		}
	}
	return name
}
