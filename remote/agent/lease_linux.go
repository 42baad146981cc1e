package agent

import (
	"encoding/json"
	"errors"
	"io"
	"os"
	"os/signal"
	"path/filepath"
	"sync"
	"syscall"
	"time"

	"mpf/remote/wire"
)

// shortGrace is the grace of an agent that ends itself: nobody waits for it to
// be polite.
const shortGrace = 2 * time.Second

// watchController sends beats, and ends the agent when nothing was heard for the
// lease: a link that is half open gives no end of input.
func (s *server) watchController(stop <-chan struct{}) {
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGINT)
	defer signal.Stop(signals)
	go s.beat(stop)
	// Looking more often would disturb what is measured on this host.
	timer := time.NewTimer(s.hello.Lease)
	defer timer.Stop()
	for {
		select {
		case <-timer.C:
			left := s.hello.Lease - s.conn.Silence()
			if left <= 0 {
				s.end("nothing was heard of the controller for " + s.hello.Lease.String())
				os.Exit(exitLease)
			}
			timer.Reset(left)
		case sig := <-signals:
			why := "the agent got the signal " + sig.String()
			// On a link that is dead as well this would never return.
			go s.conn.SendJSON(wire.Fault, 0, &wire.Error{Status: "unreachable", Cause: "agent-died", Message: why}, nil)
			s.end(why)
			os.Exit(exitFailed)
		case <-stop:
			return
		}
	}
}

func (s *server) beat(stop <-chan struct{}) {
	ticker := time.NewTicker(s.hello.Beat)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			s.children.reap()
			// A link that is broken shows in Receive.
			_ = s.conn.Send(wire.Message{Type: wire.Beat})
		case <-stop:
			return
		}
	}
}

// end kills all that still runs and notes why. How commands end now says nothing
// about them, so it is not told. Later callers wait for the first.
func (s *server) end(why string) {
	s.ending.Do(func() {
		s.mute.Store(true)
		s.mu.Lock()
		open := make([]*workspace, 0, len(s.workspaces))
		for _, w := range s.workspaces {
			open = append(open, w)
		}
		s.mu.Unlock()
		var all sync.WaitGroup
		for _, w := range open {
			all.Go(func() { s.abandon(w, why) })
		}
		all.Wait()
		killDescendants(shortGrace)
		s.removeRecord()
	})
}

// abandon ends an attempt that its controller can no longer end.
func (s *server) abandon(w *workspace, why string) {
	found := w.killAll(min(s.grace, shortGrace))
	// What stays of the folder is the next sweep's.
	_ = w.removeDir()
	if w.group != nil {
		w.group.remove()
	}
	s.writeOutcome(outcome{
		Attempt: w.attempt.Tag(), Why: why, When: time.Now().Unix(),
		Killed: found.killed, Unkillable: found.unkillable,
	}, w.attempt.Nonce)
}

// An outcome is what an agent leaves behind of an attempt whose controller was
// gone, for the one that fences it.
type outcome struct {
	Attempt    string   `json:"attempt"`
	Why        string   `json:"why"`
	When       int64    `json:"when"` // Unix seconds
	Killed     []string `json:"killed"`
	Unkillable []string `json:"unkillable,omitempty"`
}

func (s *server) outcomePath(nonce string) string {
	return filepath.Join(s.home, "outcomes", filepath.Base(nonce)+".json")
}

// writeOutcome tries: the fence is right without it, it only says less.
func (s *server) writeOutcome(o outcome, nonce string) {
	text, err := json.Marshal(o)
	if err != nil {
		return
	}
	path := s.outcomePath(nonce)
	if os.MkdirAll(filepath.Dir(path), 0o700) != nil {
		return
	}
	if os.WriteFile(path+".tmp", text, 0o600) == nil {
		_ = os.Rename(path+".tmp", path)
	}
}

// takeOutcome reads what an earlier agent left of an attempt, once.
func (s *server) takeOutcome(nonce string) outcome {
	var o outcome
	text, err := os.ReadFile(s.outcomePath(nonce))
	if err != nil || json.Unmarshal(text, &o) != nil {
		return outcome{}
	}
	_ = os.Remove(s.outcomePath(nonce)) // should it stay, it is read again
	return o
}

func outcomeOf(err error) string {
	if err == nil || errors.Is(err, io.EOF) {
		return "the link ended"
	}
	return err.Error()
}
