package client

import (
	"context"
	"errors"
	"fmt"
	"net"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/crypto/ssh"

	"mpf/engine"
	"mpf/remote/sshconfig"
)

// hinted is an error that knows what to do about it.
type hinted interface {
	error
	Hint() string
}

// failure says in one line why a hop cannot be reached, and what would mend it.
func (d *Dialer) failure(ctx context.Context, s sshconfig.Settings, before *Conn, ids *identities, err error) error {
	message := fmt.Sprintf("%s@%s: %s", s.User, address(s), explain(s, ids, err))
	if before != nil {
		message += " (through its jump host)"
	}
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return &engine.Failure{Status: engine.Unreachable, Cause: engine.CauseLink, Message: message, Err: err}
}

// address is how the hop is called, with where that is if it differs.
func address(s sshconfig.Settings) string {
	addr := s.HostName
	if s.Port != "22" {
		addr = net.JoinHostPort(s.HostName, s.Port)
	}
	if s.Alias != s.HostName {
		return fmt.Sprintf("%s (%s)", s.Alias, addr)
	}
	return addr
}

func explain(s sshconfig.Settings, ids *identities, err error) string {
	var known hinted
	var noName *net.DNSError
	var kinds *ssh.AlgorithmNegotiationError
	switch {
	case errors.As(err, &known):
		return fmt.Sprintf("%v (%s)", err, known.Hint())
	case errors.As(err, &noName):
		return fmt.Sprintf("no address found for %q (check the cluster file and ~/.ssh/config)", noName.Name)
	case errors.As(err, new(*net.AddrError)) && s.AddressFamily != "any":
		return fmt.Sprintf("no %s address for %q (see AddressFamily in OpenSSH's configuration)", s.AddressFamily, s.HostName)
	case errors.Is(err, syscall.ECONNREFUSED):
		return "connection refused: the machine is up, no sshd listens there (check the port, or start sshd)"
	case errors.Is(err, syscall.EHOSTUNREACH), errors.Is(err, syscall.ENETUNREACH):
		return "no route to it (check the network, the VPN or ProxyJump)"
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, syscall.ETIMEDOUT):
		return "no answer in time (the machine is down, or a firewall drops the connection)"
	case errors.Is(err, context.Canceled):
		return "given up: interrupted"
	case errors.As(err, &kinds):
		return disagreement(s, kinds)
	case strings.Contains(err.Error(), "unable to authenticate"):
		return refusal(ids, wanted(err))
	case isBusy(err):
		return "the server hangs up on new connections (too many of them: MaxStartups in its sshd_config, or a ban of this address)"
	}
	return trim(err)
}

// wants is what a server wants of those who log in.
type wants struct {
	methods []string
	beside  bool // a key is not enough
}

// A loginError is a connection that failed, and what the server had wanted.
type loginError struct {
	error
	wants wants
}

func (e *loginError) Unwrap() error { return e.error }

// wanted is what the server wanted, as far as it said.
func wanted(err error) wants {
	var login *loginError
	if errors.As(err, &login) {
		return login.wants
	}
	return wants{}
}

// others are the ways to log in that mpf does not go.
func (w wants) others() string {
	return strings.Join(slices.DeleteFunc(slices.Clone(w.methods), func(m string) bool { return m == "publickey" }), ", ")
}

// refusal says what the server takes, which keys were offered, and why others
// were not.
func refusal(ids *identities, w wants) string {
	others := w.others()
	switch {
	case w.beside && others != "":
		return fmt.Sprintf("login refused: the key is accepted and not enough, the server wants %s as well (mpf logs in by keys only: see AuthenticationMethods in its sshd_config)", others)
	case others != "":
		return keysRefused(ids) + "; it would take " + others + ", which mpf does not do"
	}
	return keysRefused(ids)
}

func keysRefused(ids *identities) string {
	text := "login refused: no key was at hand (make one: ssh-keygen -t ed25519, then: ssh-copy-id)"
	if ids == nil {
		return "login refused: the server takes no public keys"
	}
	if len(ids.offered) > 0 {
		text = fmt.Sprintf("login refused: it takes none of the keys offered: %s (add one of them: ssh-copy-id)", strings.Join(ids.offered, ", "))
	}
	if len(ids.notes) > 0 {
		text += "; not used: " + strings.Join(ids.notes, "; ")
	}
	return text
}

// trim takes the library's names from a message.
func trim(err error) string {
	text := err.Error()
	for _, prefix := range []string{"ssh: ", "handshake failed: ", "ssh: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}
