package campaign

import (
	"context"
	"testing"

	"mpf/engine"
	"mpf/results/record"
)

// lose records an attempt that its host was lost in.
func lose(t *testing.T, c *Campaign, run engine.Run) engine.Attempt {
	t.Helper()
	start := startOf(run, c.State(run.ID).Attempts+1)
	log, err := c.Open(ctx, start)
	must(t, err)
	must(t, log.Done(ctx, engine.Done{
		Status: engine.Unreachable, Cause: engine.CauseLease, Host: "h1", Message: "nothing was heard", Wall: begun,
		Hosts: []engine.HostRecord{{Host: "h1", BootID: "b"}},
	}))
	return engine.Attempt{Run: run.ID, Number: start.Attempt, Nonce: start.Nonce}
}

// causes lists the causes of the attempts, in order.
func causes(t *testing.T, c *Campaign) (all []engine.Cause) {
	t.Helper()
	for a, err := range c.Attempts() {
		must(t, err)
		all = append(all, a.Done.Cause)
	}
	return all
}

func wantCauses(t *testing.T, when string, c *Campaign, want ...engine.Cause) {
	t.Helper()
	got := causes(t, c)
	for i := range want {
		if len(got) != len(want) || got[i] != want[i] {
			t.Fatalf("%s: causes %q, want %q", when, got, want)
		}
	}
}

// That a host was rebooted becomes known when it is back. The end of the run that
// was lost on it is recorded long before, and is not recorded again.
func TestAFenceTellsARebootOfAnAttemptThatWasClosed(t *testing.T) {
	plan := testPlan(3, 1)
	c, err := Create(t.TempDir(), plan, nil, testConfig())
	must(t, err)
	runs := runsOf(plan)
	first, second := lose(t, c, runs[0]), lose(t, c, runs[1])
	wantCauses(t, "lost", c, engine.CauseLease, engine.CauseLease)
	must(t, c.Fence(ctx, first, "h1", engine.Fenced{How: "rebooted"}))
	must(t, c.Fence(ctx, first, "h2", engine.Fenced{How: "rebooted"}))
	must(t, c.Fence(ctx, second, "h1", engine.Fenced{How: "swept"}))
	wantCauses(t, "fenced", c, engine.CauseRebooted, engine.CauseLease)
	must(t, execute(c, runs[0]))
	must(t, c.Close())
	c = readDir(t, c.Dir())
	wantCauses(t, "read", c, engine.CauseRebooted, engine.CauseLease, "")
	for a, err := range c.Attempts() {
		must(t, err)
		if want := "it was rebooted; what was seen of it: nothing was heard"; a.Done.Message != want {
			t.Errorf("message %q, want %q", a.Done.Message, want)
		}
		break
	}
}

// The fence may come in an invocation of its own, of which an index is all that
// is read later.
func TestAnIndexTellsOfReboots(t *testing.T) {
	plan := testPlan(600, 1)
	runs := runsOf(plan)
	c, err := Create(t.TempDir(), plan, nil, testConfig())
	must(t, err)
	lost := lose(t, c, runs[0])
	must(t, c.Close())
	c, err = Open(c.Dir(), testConfig())
	must(t, err)
	must(t, c.Fence(ctx, lost, "h1", engine.Fenced{How: "rebooted"}))
	for _, run := range runs[1:] {
		must(t, execute(c, run))
	}
	must(t, c.Close())
	if got := causes(t, readDir(t, c.Dir())); got[0] != engine.CauseRebooted {
		t.Errorf("cause %q", got[0])
	}
}

// An invocation may end before a host that it lost is back. The next one knows
// whom to ask.
func TestAttemptsThatLostAHostAreKnownToTheNextInvocation(t *testing.T) {
	plan := testPlan(4, 1)
	runs := runsOf(plan)
	c, err := Create(t.TempDir(), plan, nil, testConfig())
	must(t, err)
	lose(t, c, runs[0])
	must(t, execute(c, runs[0]))
	lose(t, c, runs[1])
	again := lose(t, c, runs[1])
	must(t, execute(c, runs[2]))
	for range 2 {
		must(t, c.Close())
		c, err = Open(c.Dir(), testConfig())
		must(t, err)
		lost, err := c.Unfenced()
		must(t, err)
		if len(lost) != 1 || lost[0].Run.ID != again.Run || lost[0].Attempt != 2 || lost[0].Nonce != again.Nonce || lost[0].Hosts[0].Host != "h1" {
			t.Errorf("unfenced: %+v, want attempt 2 of run %s", lost, again.Run)
		}
	}
}

// noting is tables that keep the cause of the first attempt.
type noting struct{ seen chan engine.Cause }

func (n noting) Publish(_ context.Context, s record.Source, final bool) ([]record.File, error) {
	for a, err := range s.Attempts() {
		if err != nil {
			return nil, err
		}
		if !final {
			n.seen <- a.Done.Cause
		}
		break
	}
	return nil, nil
}

func TestARebootThatBecomesKnownIsPublished(t *testing.T) {
	tables := noting{make(chan engine.Cause, 1)}
	config := testConfig()
	config.Clock, config.Tables = fastClock{}, tables
	plan := testPlan(1, 1)
	c, err := Create(t.TempDir(), plan, nil, config)
	must(t, err)
	lost := lose(t, c, runsOf(plan)[0])
	if cause := <-tables.seen; cause != engine.CauseLease {
		t.Errorf("cause %q before the host is back", cause)
	}
	must(t, c.Fence(ctx, lost, "h1", engine.Fenced{How: "rebooted"}))
	if cause := <-tables.seen; cause != engine.CauseRebooted {
		t.Errorf("cause %q after it was rebooted", cause)
	}
	must(t, c.Close())
}
