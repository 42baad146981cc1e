package remotetest

import (
	"testing"
	"time"

	"mpf/engine"
)

// WaitGone waits until no process of an attempt is left on this machine, and
// fails if that takes longer than it may.
func WaitGone(t testing.TB, a engine.Attempt, limit time.Duration) {
	t.Helper()
	for end := time.Now().Add(limit); ; time.Sleep(20 * time.Millisecond) {
		left := Tagged(a.Nonce)
		if len(left) == 0 {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after %v there are still %q", limit, left)
		}
	}
}

// letEnd gives processes with a text in their environment the time to end: agents
// whose connection is closed still tidy up in a folder that is about to go.
func letEnd(text string) {
	for end := time.Now().Add(5 * time.Second); len(Tagged(text)) > 0 && time.Now().Before(end); {
		time.Sleep(5 * time.Millisecond)
	}
}
