package hostkeys

import (
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"
)

// An UnknownError is a host of which no key is known.
type UnknownError struct {
	Checker Checker
	Key     ssh.PublicKey
}

func (e *UnknownError) Error() string {
	return fmt.Sprintf("host key of %s is unknown: %s", e.Checker.Name(), describe(e.Key))
}

// Hint is the command that makes the key known.
func (e *UnknownError) Hint() string {
	if e.Checker.Alias != "" {
		return fmt.Sprintf("compare the fingerprint with the host's, then add this line to %s: %s", e.Checker.file(), lineFor(e.Checker.Name(), e.Key))
	}
	return fmt.Sprintf("compare the fingerprint with the host's, then: ssh-keyscan -p %s -t %s %s >> %s",
		e.Checker.port(), scanType(e.Key), e.Checker.HostName, e.Checker.file())
}

// A ChangedError is a host that is known by other keys.
type ChangedError struct {
	Checker Checker
	Key     ssh.PublicKey
	Known   ssh.PublicKey
	File    string
	Line    int
}

func (e *ChangedError) Error() string {
	return fmt.Sprintf("host key of %s has CHANGED, or someone listens in between: it shows %s, known is %s at %s:%d",
		e.Checker.Name(), describe(e.Key), describe(e.Known), e.File, e.Line)
}

// Hint is the command that forgets the old key.
func (e *ChangedError) Hint() string {
	return fmt.Sprintf("only if you know why it changed: ssh-keygen -f %s -R '%s'", e.File, e.Checker.Name())
}

// A RevokedError is a key that the files call revoked.
type RevokedError struct {
	Checker Checker
	Key     ssh.PublicKey
	File    string
	Line    int
}

func (e *RevokedError) Error() string {
	return fmt.Sprintf("host key of %s is revoked: %s at %s:%d", e.Checker.Name(), describe(e.Key), e.File, e.Line)
}

// Hint says who can help.
func (e *RevokedError) Hint() string { return "the host needs a new key: ask its administrator" }

// A CertificateError is a host certificate that does not hold.
type CertificateError struct {
	Checker     Checker
	Certificate *ssh.Certificate
	Err         error
}

func (e *CertificateError) Error() string {
	return fmt.Sprintf("host certificate of %s is refused: %v; signed by %s for %q",
		e.Checker.Name(), e.Err, describe(e.Certificate.SignatureKey), e.Certificate.ValidPrincipals)
}

func (e *CertificateError) Unwrap() error { return e.Err }

// Hint shows what must be known.
func (e *CertificateError) Hint() string {
	return fmt.Sprintf("%s must hold a line: @cert-authority %s <the authority's key>, and the certificate must name the host", e.Checker.file(), e.Checker.Name())
}

// A KindError is a host that is known, but by no kind of key that may be used.
type KindError struct {
	Checker Checker
	Kinds   []string
}

func (e *KindError) Error() string {
	return fmt.Sprintf("none of the algorithms fits a known key of %s: %q", e.Checker.Name(), e.Kinds)
}

// Hint is the edit.
func (e *KindError) Hint() string {
	return "add such a kind to HostKeyAlgorithms, or note another key of the host: ssh-keyscan"
}

// A SizeError is a key that is too short.
type SizeError struct {
	Checker Checker
	Key     ssh.PublicKey
	Bits    int
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("host key of %s has %d bits, RequiredRSASize is %d: %s", e.Checker.Name(), e.Bits, e.Checker.MinRSA, describe(e.Key))
}

// Hint says who can help.
func (e *SizeError) Hint() string { return "the host needs a new key: ask its administrator" }

// A RevocationError is a list of revoked keys that cannot be read: any key may be
// in it.
type RevocationError struct {
	File string
	Err  error
}

func (e *RevocationError) Error() string { return fmt.Sprintf("RevokedHostKeys %s: %v", e.File, e.Err) }
func (e *RevocationError) Unwrap() error { return e.Err }

// Hint is the edit.
func (e *RevocationError) Hint() string {
	return "write one public key a line into it, or take RevokedHostKeys out of OpenSSH's configuration"
}

// Final reports that waiting mends none of these.
func (e *UnknownError) Final() bool     { return true }
func (e *ChangedError) Final() bool     { return true }
func (e *RevokedError) Final() bool     { return true }
func (e *CertificateError) Final() bool { return true }
func (e *KindError) Final() bool        { return true }
func (e *SizeError) Final() bool        { return true }
func (e *RevocationError) Final() bool  { return true }

func describe(key ssh.PublicKey) string { return key.Type() + " " + ssh.FingerprintSHA256(key) }

// scanType is how ssh-keyscan calls a kind of key.
func scanType(key ssh.PublicKey) string {
	switch kind := key.Type(); {
	case strings.HasPrefix(kind, "ecdsa-"):
		return "ecdsa"
	default:
		return strings.TrimPrefix(kind, "ssh-")
	}
}

func (c Checker) file() string {
	if len(c.Files) == 0 {
		return "known_hosts"
	}
	return c.Files[0]
}

func (c Checker) port() string {
	if c.Port == "" {
		return "22"
	}
	return c.Port
}
