package remote_test

import (
	"os"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/remote"
	"mpf/remote/remotetest"
)

// An agent lets the kernel wake it late; what is measured is woken as it is
// without an agent.
func TestCommandsAreNotWokenLate(t *testing.T) {
	const path = "/proc/self/timerslack_ns"
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	h := connect(t, remote.Local{})
	defer h.Close()
	w, err := h.Open(t.Context(), remotetest.NewAttempt())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close(t.Context())
	run, err := w.Run(t.Context(), engine.Command{Argv: []string{"cat", path}})
	if err != nil {
		t.Fatal(err)
	}
	p, err := w.Start(t.Context(), engine.Command{Argv: []string{"cat", path}}, engine.Ready{})
	if err != nil {
		t.Fatal(err)
	}
	started, err := p.Wait(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, out := range []engine.Output{run, started} {
		if got := strings.TrimSpace(string(out.Stdout.Data)); got != strings.TrimSpace(string(want)) {
			t.Errorf("a command waits with %q ns of slack, and mpf with %q", got, want)
		}
	}
}
