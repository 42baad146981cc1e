package client

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"mpf/remote/hostkeys"
	"mpf/remote/sshconfig"
)

// algorithms are those that may be used with one hop. A nil list leaves the
// choice to whoever knows the host, or the key.
type algorithms struct {
	transport   ssh.Config
	hostKeys    []string
	authorities []string
	logins      []string
}

// choose makes the lists of the configuration lists of what the library has.
// The usual ones are those that it calls secure, which are nearly OpenSSH's;
// its own defaults lack some of them and have others that are broken.
func choose(s sshconfig.Settings) (algorithms, error) {
	var a algorithms
	var problems []error
	of := func(list sshconfig.Algorithms, usual, more []string) []string {
		names, err := list.Of(usual, slices.Concat(usual, more))
		problems = append(problems, err)
		return names
	}
	secure, weak := ssh.SupportedAlgorithms(), ssh.InsecureAlgorithms()
	a.transport.KeyExchanges = of(s.KexAlgorithms, secure.KeyExchanges, append(weak.KeyExchanges, "curve25519-sha256@libssh.org"))
	a.transport.Ciphers = of(s.Ciphers, secure.Ciphers, weak.Ciphers)
	a.transport.MACs = of(s.MACs, secure.MACs, weak.MACs)
	if s.HostKeyAlgorithms.Text != "" {
		a.hostKeys = of(s.HostKeyAlgorithms, hostkeys.Usual(), hostkeys.Weak())
	}
	if s.PubkeyAcceptedAlgorithms.Text != "" {
		a.logins = of(s.PubkeyAcceptedAlgorithms, slices.Concat(secure.PublicKeyAuths, hostkeys.Usual(), tokens), hostkeys.Weak())
	}
	if s.CASignatureAlgorithms.Text != "" {
		a.authorities = of(s.CASignatureAlgorithms, secure.PublicKeyAuths, weak.PublicKeyAuths)
	}
	return a, errors.Join(problems...)
}

// tokens are the certificates of keys that a hardware token holds.
var tokens = []string{ssh.CertAlgoSKED25519v01, ssh.CertAlgoSKECDSA256v01}

// restrict makes a key sign by the algorithms that the configuration allows.
func restrict(k candidate, allowed []string) (candidate, error) {
	if allowed == nil || k.signer == nil {
		return k, nil
	}
	var names []string
	for _, name := range allowed {
		if format, plain := signs(name); format == k.public.Type() && !slices.Contains(names, plain) {
			names = append(names, plain)
		}
	}
	if len(names) == 0 {
		return k, errors.New("PubkeyAcceptedAlgorithms leaves its kind out")
	}
	signer, ok := k.signer.(ssh.AlgorithmSigner)
	if !ok {
		return k, nil
	}
	restricted, err := ssh.NewSignerWithAlgorithms(signer, names)
	k.signer = restricted
	return k, err
}

// signs says for an algorithm the type of key that signs by it, and how it is
// called where the key has no certificate.
func signs(algorithm string) (format, plain string) {
	const suffix = "-cert-v01@openssh.com"
	plain, certificate := strings.CutSuffix(algorithm, suffix)
	if certificate && strings.HasPrefix(plain, "sk-") {
		plain += "@openssh.com"
	}
	format = plain
	if strings.HasPrefix(plain, "rsa-sha2-") {
		format = ssh.KeyAlgoRSA
	}
	if certificate {
		format = strings.TrimSuffix(format, "@openssh.com") + suffix
	}
	return format, plain
}

// disagreement says what would let a server be talked to that has none of the
// algorithms.
func disagreement(s sshconfig.Settings, err *ssh.AlgorithmNegotiationError) string {
	word, list, weak := about(s, err.What)
	if list.Text != "" {
		return fmt.Sprintf("%s at %s allows %s, and the server has %s (add one of the server's to that list)",
			word, list.Pos, quoted(err.SupportedAlgorithms), quoted(err.RequestedAlgorithms))
	}
	text := fmt.Sprintf("no %s in common: the server has %s", err.What, quoted(err.RequestedAlgorithms))
	for _, name := range weak {
		if slices.Contains(err.RequestedAlgorithms, name) {
			return fmt.Sprintf("%s, which are weak (to use one all the same, write into the Host block: %s +%s)", text, word, name)
		}
	}
	if word == "HostKeyAlgorithms" {
		return fmt.Sprintf("%s, and known of it is %s (compare the fingerprints of its keys, then note them by ssh-keyscan)", text, quoted(err.SupportedAlgorithms))
	}
	return fmt.Sprintf("%s (see what it shows: ssh -v %s)", text, s.Alias)
}

// about finds the word of the configuration that an error of the library is
// about, and which weak algorithms the word could add.
func about(s sshconfig.Settings, what string) (word string, list sshconfig.Algorithms, weak []string) {
	all := ssh.InsecureAlgorithms()
	switch {
	case what == "key exchange":
		return "KexAlgorithms", s.KexAlgorithms, all.KeyExchanges
	case what == "host key":
		return "HostKeyAlgorithms", s.HostKeyAlgorithms, hostkeys.Weak()
	case strings.HasSuffix(what, "cipher"):
		return "Ciphers", s.Ciphers, all.Ciphers
	}
	return "MACs", s.MACs, all.MACs
}

func quoted(names []string) string { return fmt.Sprintf("%q", names) }
