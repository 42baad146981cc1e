package link

import (
	"bytes"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"mpf/engine"
)

// What sudo says when it does not let a command run, and what env behind it says
// of one that cannot be executed.
var (
	sudoPassword = regexp.MustCompile(`sudo: [^\n]*(password|terminal) is required`)
	sudoTerminal = regexp.MustCompile(`sudo: [^\n]*must have a tty`)
	sudoForbids  = regexp.MustCompile(`is not in the sudoers file|Sorry, user \S+ (is not allowed|may not run)`)
	envFailed    = regexp.MustCompile(`^env: .*(No such file or directory|Permission denied|Exec format error|not found)$`)
)

// SudoHint is the edit on a host that makes sudo let a user do what it refused
// in these words; empty where they are not a refusal.
func SudoHint(said, user string) string {
	switch {
	case sudoPassword.MatchString(said), sudoForbids.MatchString(said):
		return fmt.Sprintf("add there to /etc/sudoers.d/mpf: %s ALL=(ALL) NOPASSWD: ALL", user)
	case sudoTerminal.MatchString(said):
		return fmt.Sprintf("add there to /etc/sudoers.d/mpf: Defaults:%s !requiretty", user)
	}
	return ""
}

// user is how sudoers names who the agent runs as.
func (w *workspace) user() string {
	if hello := w.link.hello; hello.User == "" {
		return fmt.Sprintf("#%d", hello.UID)
	}
	return w.link.hello.User
}

// sudoRefusal is the failure of a command that sudo did not let run, or that
// could not be executed behind it; nil if it ran.
func (w *workspace) sudoRefusal(out engine.Output) error {
	if w.link.hello.UID == 0 || out.Signal != "" {
		return nil
	}
	said := string(bytes.TrimSpace(out.Stderr.Data[max(0, len(out.Stderr.Data)-longestLine):]))
	last := said[strings.LastIndexByte(said, '\n')+1:]
	switch out.Code {
	case 1:
		return w.sudoFailure(out.Argv[0], said)
	case 126, 127:
		if envFailed.MatchString(last) && strings.Contains(last, out.Argv[0]) {
			return w.commandFailure(out.Argv[0], fmt.Sprintf("root cannot execute it: %q", last))
		}
	}
	return nil
}

// sudoNotReady explains why a command never was ready, where sudo is the reason.
func (w *workspace) sudoNotReady(argv []string, err error) error {
	var known *engine.Failure
	if !errors.As(err, &known) || known.Status != engine.Failed {
		return err
	}
	if refusal := w.sudoFailure(argv[0], known.Message); refusal != nil {
		return refusal
	}
	return err
}

func (w *workspace) sudoFailure(program, said string) error {
	hint := SudoHint(said, w.user())
	if hint == "" {
		return nil
	}
	return w.commandFailure(program, fmt.Sprintf("sudo does not let it run without a password (%s)", hint))
}

func (w *workspace) commandFailure(program, what string) error {
	return &engine.Failure{
		Status: engine.Failed, Cause: engine.CauseExit, Host: w.link.options.Host,
		Message: fmt.Sprintf("command %q: %s", program, what),
	}
}
