package remote_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote/remotetest"
)

// A user who may becomes root for one command at a time, and what that starts
// ends with the attempt like everything else.
func TestSudoOfAUserOverSSH(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "sudo")
	m := remotetest.Machines(t, 1)[0]
	h := fleet(t, []*remotetest.Machine{m}, "alice").Host("n1")
	w, err := h.Open(t.Context(), remotetest.NewAttempt())
	if err != nil {
		t.Fatal(err)
	}
	_, err = w.Run(t.Context(), engine.Command{Argv: []string{"id", "-u"}, Sudo: true})
	var f *engine.Failure
	if !errors.As(err, &f) || f.Status != engine.Failed || !strings.Contains(err.Error(), "sudo does not let it run without a password") {
		t.Errorf("without a password: %v", err)
	}
	if out, err := m.Exec("sh", "-c", "umask 337; echo 'alice ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/alice"); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	out, err := w.Run(t.Context(), engine.Command{
		Argv: []string{"sh", "-c", `id -u; pwd; echo "$MINE"; cat; exit 3`}, Env: []string{"MINE=a b"}, Stdin: []byte("in"), Dir: "/etc", Sudo: true,
	})
	if err != nil || out.Code != 3 || string(out.Stdout.Data) != "0\n/etc\na b\nin" {
		t.Errorf("as root: %q, code %d, %v", out.Stdout.Data, out.Code, err)
	}
	out, err = w.Run(t.Context(), engine.Command{Argv: []string{"sh", "-c", "sleep 1000 & setsid sleep 1000"}, Timeout: 100 * time.Millisecond, Sudo: true})
	if err != nil || !out.TimedOut {
		t.Errorf("over its timeout: %+v, %v", out, err)
	}
	if _, err := w.Start(t.Context(), engine.Command{Argv: []string{"sh", "-c", "trap '' TERM; setsid sleep 1000 & sleep 1000"}, Sudo: true}, engine.Ready{}); err != nil {
		t.Error(err)
	}
	closing, err := w.Close(t.Context())
	if err != nil || len(closing.Unkillable) > 0 {
		t.Errorf("closing %+v, %v", closing, err)
	}
	if left := strings.Join(m.Processes(), "\n"); strings.Contains(left, "sleep 1000") {
		t.Errorf("still running: %q", left)
	}
}
