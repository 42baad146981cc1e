package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"

	"mpf/remote/wire"
)

// sudoArgv is what is executed for a command of root's. sudo clears the
// environment: env(1) sets it again behind it.
func sudoArgv(c *wire.Command, tags ...string) []string {
	argv := append([]string{"sudo", "-n", "--", "env"}, tags...)
	return append(append(argv, c.Env...), c.Argv...)
}

// signalAsRoot signals processes of other users. A refusal shows in that they
// are still there.
func signalAsRoot(pids []string, s syscall.Signal) {
	script := "kill -" + strconv.Itoa(int(s)) + ` "$@"`
	_ = runAlone(append([]string{"sudo", "-n", "--", "sh", "-c", script, "kill"}, pids...)...)
}

// sudoMark is the file that says of an attempt that sudo was used in it: what of
// it outlives this agent can be seen by root only. Its name ends as that of the
// attempt's folder does.
func (w *workspace) sudoMark() string {
	return filepath.Join(w.server.runs, sudoMarkPrefix+workspaceName(w.attempt))
}

const sudoMarkPrefix = "sudo-"

// markSudo is done before the first command of an attempt that uses sudo.
func (w *workspace) markSudo() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.marked {
		return nil
	}
	if err := os.WriteFile(w.sudoMark(), nil, 0o600); err != nil {
		return fmt.Errorf("note that sudo is used: %w", err)
	}
	w.marked = true
	w.server.eyes.open()
	return nil
}

// unmarkSudo is done when nothing of the attempt is left.
func (w *workspace) unmarkSudo() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.marked {
		_ = os.Remove(w.sudoMark()) // the next agent removes it otherwise
	}
}

// sudoWasUsed reports whether an attempt of this user, perhaps of an agent that
// died, used sudo.
func (s *server) sudoWasUsed() bool {
	for _, name := range namesIn(s.runs) {
		if strings.HasPrefix(name, sudoMarkPrefix) {
			return true
		}
	}
	return false
}
