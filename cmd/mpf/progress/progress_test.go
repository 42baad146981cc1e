package progress

import (
	"bytes"
	"errors"
	"strings"
	"testing"
	"time"

	"mpf/engine"
)

// watchedProgress is one on a terminal of the test's own, with a clock that it
// sets.
func watchedProgress(total int64) (*Progress, *bytes.Buffer, *time.Time) {
	var out bytes.Buffer
	now := time.Date(2026, 11, 20, 18, 0, 0, 0, time.UTC)
	p := New(Screen{Writer: &out, Terminal: true, Width: func() int { return 100 }}, Options{Total: total})
	p.now = func() time.Time { return now }
	p.begun = now
	return p, &out, &now
}

func runOf(n byte) engine.Run { return engine.Run{ID: engine.RunID{n + 1}} }

func TestProgressForeseesFromTheMedianRun(t *testing.T) {
	p, out, now := watchedProgress(10)
	for i := range byte(4) {
		p.Started(runOf(i), 1, "")
		*now = now.Add(10 * time.Second)
		p.Ended(runOf(i), 1, engine.Done{Status: engine.OK, Seconds: 9, Gap: 1})
	}
	lines := strings.Split(out.String(), "\r\x1b[K")
	if got, want := lines[len(lines)-1], "4/10 runs  40 %  40 s elapsed  about 1 min 0 s left  "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestProgressTellsARepeatedRunOnce(t *testing.T) {
	p, out, _ := watchedProgress(2)
	p.Started(runOf(1), 1, "")
	p.Ended(runOf(1), 1, engine.Done{Status: engine.Unreachable, Cause: engine.CauseLink, Host: "node1", Message: "gone"})
	p.Ended(runOf(1), 2, engine.Done{Status: engine.OK})
	p.Finish()
	if p.done() != 1 || !strings.Contains(out.String(), "mpf: 1 attempt that ended unreachable: repeated\n") {
		t.Errorf("%d done\n%s", p.done(), out)
	}
}

func TestProgressSaysEqualWarningsOnceAndCountsThem(t *testing.T) {
	p, out, _ := watchedProgress(3)
	for i := range byte(3) {
		p.Warned(runOf(i), engine.Warning{Code: "x", Text: "no sample of 3 hosts"})
	}
	p.Finish()
	if strings.Count(out.String(), "it is said once") != 1 || !strings.Contains(out.String(), "mpf: warning: said once of 3 times: no sample of 3 hosts\n") {
		t.Error(out.String())
	}
}

func TestProgressTellsWarningsApart(t *testing.T) {
	p, out, _ := watchedProgress(3)
	p.Warned(runOf(1), engine.Warning{Code: "x", Text: `no step returned "a"`})
	p.Warned(runOf(2), engine.Warning{Code: "x", Text: `no step returned "b"`})
	if strings.Count(out.String(), "it is said once") != 2 {
		t.Error(out.String())
	}
}

func TestProgressShowsTheFirstLinesThatAStepLogs(t *testing.T) {
	p, out, _ := watchedProgress(3)
	for range 20 {
		p.Logged(runOf(1), "measure", "node1", "one\ntwo\x1b[31m")
	}
	if got := strings.Count(out.String(), "mpf: measure on node1: "); got != 10 || strings.Contains(out.String(), "\x1b[31m") ||
		strings.Count(out.String(), "is not shown any more") != 1 {
		t.Errorf("%d lines\n%s", got, out)
	}
}

func TestProgressTellsWhichHostsAreAway(t *testing.T) {
	p, out, now := watchedProgress(10)
	p.of.Groups = 2
	for i := range byte(4) {
		p.Started(runOf(i), 1, "")
		p.Ended(runOf(i), 1, engine.Done{Status: engine.OK, Seconds: 10})
	}
	p.Ended(runOf(4), 1, engine.Done{Status: engine.Unreachable, Cause: engine.CauseLease, Host: "node1", Seconds: 10})
	*now = now.Add(90 * time.Second)
	if got, want := p.status(), "5/10 runs  50 %  1 min 30 s elapsed  about 50 s left  1 not ok  without node1 for 1 min 30 s  "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
	p.Waiting("node1", errors.New("no route"))
	p.Waiting("node1", errors.New("no route"))
	p.Back("node1", engine.Fenced{How: "rebooted"})
	p.Back("node1", engine.Fenced{How: "swept"})
	if strings.Count(out.String(), `mpf: host "node1" does not answer, waiting for it: no route`) != 1 ||
		strings.Count(out.String(), `mpf: host "node1" is back after 1 min 30 s, it was rebooted`) != 1 || strings.Count(out.String(), "is back") != 1 {
		t.Error(out.String())
	}
	if got, want := p.status(), "5/10 runs  50 %  1 min 30 s elapsed  about 25 s left  1 not ok  "; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}
