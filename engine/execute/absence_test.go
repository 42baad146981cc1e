package execute

import (
	"context"
	"errors"
	"sync"
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/enginetest"
)

func TestAHostThatComesBackIsWaitedFor(t *testing.T) {
	b := newBench(t, 1, func(context.Context, *engine.RunContext) (engine.Results, error) { return nil, nil })
	b.host.Down, b.host.Refuses = errors.New("connection lost"), 1
	b.execute(t)
	want(t, "endings", b.endings(), []string{"unreachable/link", "ok"})
}

// What is known of a lost attempt is recorded before its host is waited for, and
// that nothing of it runs there any more before the next one.
func TestTheEndOfALostRunIsRecordedBeforeItsHostIsBack(t *testing.T) {
	b := newBench(t, 1, func(context.Context, *engine.RunContext) (engine.Results, error) { return nil, nil })
	b.host.Down, b.host.How = errors.New("connection lost"), "rebooted"
	var recorded []string
	b.Watch = &onWaiting{do: func() {
		recorded = b.endings()
		b.host.Answer()
	}}
	b.execute(t)
	want(t, "recorded meanwhile", recorded, []string{"unreachable/link"})
	want(t, "endings", b.endings(), []string{"unreachable/link", "ok"})
	want(t, "order", b.ledger.Order, []string{"start 1", "done 1", "fence 1", "start 2", "done 2"})
	want(t, "fences", b.ledger.Fences, []string{"h1 rebooted"})
}

// Nothing starts before the hosts that an earlier invocation lost were asked; one
// that is in the cluster no more is not.
func TestHostsLostInAnEarlierInvocationAreFencedFirst(t *testing.T) {
	b := newBench(t, 1, func(context.Context, *engine.RunContext) (engine.Results, error) { return nil, nil })
	b.ledger.Lost = []engine.Start{{Attempt: 7, Hosts: []engine.RoleHost{{Host: "h1"}, {Host: "gone"}}}}
	b.execute(t)
	want(t, "order", b.ledger.Order, []string{"fence 7", "start 1", "done 1"})
}

// onWaiting is a watch that acts where a host is waited for.
type onWaiting struct {
	silence
	do func()
}

func (w *onWaiting) Waiting(string, error) { w.do() }

// A group whose host is away holds nobody up, and loses no run: it makes up for
// the one that was lost when the host is back, in whatever block, however long the
// others work till then.
func TestTheOthersGoOnWhileAHostIsAway(t *testing.T) {
	b := newBench(t, 2, func(context.Context, *engine.RunContext) (engine.Results, error) { return nil, nil })
	b.runs = design(b.Experiment, 3)
	b.Design = b.runs
	away := enginetest.NewHost(t, "h2")
	away.Down = errors.New("no route to host")
	b.Groups = append(b.Groups, group("b", "client", away))
	b.Clock, b.Limits.Patience = engine.SystemClock{}, time.Nanosecond
	lost, back := make(chan struct{}), make(chan struct{})
	var losing, returning sync.Once
	b.Watch = &onWaiting{do: func() { losing.Do(func() { close(lost) }) }}
	b.Experiment.Timeline[0][0].Do = func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		switch {
		case run.Host.Name == "h2":
			returning.Do(func() { close(back) })
		case run.Run.Block == 3:
			away.Answer()
			<-back
		}
		<-lost
		return nil, nil
	}
	b.execute(t)
	ended := map[engine.RunID]engine.Status{}
	for _, end := range b.ledger.Ends {
		ended[end.Start.Run.ID] = end.Done.Status
	}
	for id, status := range ended {
		if status != engine.OK {
			t.Errorf("run %s is %s", id, status)
		}
	}
	if len(ended) != 6 || len(b.ledger.Ends) != 7 {
		t.Errorf("%d runs in %d attempts, want 6 in 7: %v", len(ended), len(b.ledger.Ends), b.endings())
	}
}

func TestARunDuringWhichAMachineSleptIsRepeated(t *testing.T) {
	slept := false
	b := newBench(t, 1, func(context.Context, *engine.RunContext) (engine.Results, error) {
		if slept {
			return nil, nil
		}
		slept = true
		return nil, &engine.Failure{Status: engine.Interrupted, Cause: engine.CauseSuspended, Message: "it was suspended for 2h0m0s"}
	})
	b.execute(t)
	want(t, "endings", b.endings(), []string{"interrupted/suspended", "ok"})
	want(t, "fences", b.ledger.Fences, []string{"h1 swept"})
}

// What fails because a machine is gone is not what went wrong.
func TestAHostThatIsGoneIsWhyItsClientFailed(t *testing.T) {
	server := enginetest.NewHost(t, "h2")
	b := newBench(t, 1, func(context.Context, *engine.RunContext) (engine.Results, error) {
		if server.Lost == nil {
			return nil, nil
		}
		return nil, &engine.Failure{Status: engine.Failed, Cause: engine.CauseExit, Message: "no answer"}
	})
	server.Lost = &engine.Failure{Status: engine.Unreachable, Cause: engine.CauseLease, Message: "nothing was heard"}
	b.Experiment.Roles = append(b.Experiment.Roles, engine.Role{Name: "server"})
	b.Groups[0].Roles["server"] = []engine.Host{server}
	b.Groups[0].Hosts["h2"] = server
	b.execute(t)
	want(t, "endings", b.endings(), []string{"unreachable/lease", "ok"})
	done := b.ledger.Ends[0].Done
	if done.Host != "h2" || done.Step != "measure" || done.Message != `nothing was heard; before that was noticed: host "h1": no answer` {
		t.Errorf("host %q, step %q: %s", done.Host, done.Step, done.Message)
	}
}

func TestAHostThatCameBackIsSetUpAgain(t *testing.T) {
	var events []string
	note := func(kind string) engine.StepFunc {
		return func(context.Context, *engine.RunContext) (engine.Results, error) {
			events = append(events, kind)
			return nil, nil
		}
	}
	b := newBench(t, 2, note("run"))
	b.Experiment.Roles[0].Setup = []engine.Step{{Name: "prepare", Do: func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		b.host.Lost = nil
		return note("setup")(ctx, run)
	}}}
	b.Experiment.Timeline[0][0].Do = func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		if len(events) == 1 {
			b.host.Lost = &engine.Failure{Status: engine.Unreachable, Cause: engine.CauseLease, Message: "nothing was heard"}
		}
		return note("run")(ctx, run)
	}
	b.execute(t)
	want(t, "endings", b.endings(), []string{"unreachable/lease", "ok", "ok"})
	want(t, "events", events, []string{"setup", "run", "setup", "run", "run"})
}

func TestAHostThatStaysAwayEndsTheLoopWithItsName(t *testing.T) {
	b := newBench(t, 2, func(context.Context, *engine.RunContext) (engine.Results, error) { return nil, nil })
	b.host.Down = errors.New("no route to host")
	b.Limits.Patience = time.Nanosecond
	lost := new(HostLost)
	if err := b.Execute(t.Context()); !errors.As(err, &lost) || lost.Host != "h1" {
		t.Fatalf("error %v, want h1 lost", err)
	}
	want(t, "endings", b.endings(), []string{"unreachable/link"})
}

func TestALostHostLeavesItsGroupsRunsToTheOthers(t *testing.T) {
	b := newBench(t, 4, func(context.Context, *engine.RunContext) (engine.Results, error) { return nil, nil })
	b.Limits.Patience = time.Nanosecond
	dead := enginetest.NewHost(t, "h2")
	dead.Down = errors.New("no route to host")
	b.Groups = append(b.Groups, group("b", "client", dead))
	b.execute(t)
	ok := 0
	for _, end := range b.ledger.Ends {
		if end.Done.Status == engine.OK {
			ok++
		}
	}
	if ok < 3 {
		t.Errorf("%d runs ok: %v", ok, b.endings())
	}
}

func TestAProcessThatCannotBeKilledBlocksItsHost(t *testing.T) {
	b := newBench(t, 2, func(context.Context, *engine.RunContext) (engine.Results, error) { return nil, nil })
	b.host.Stuck = []string{"dd (pid 7, state D)"}
	lost := new(HostLost)
	if err := b.Execute(t.Context()); !errors.As(err, &lost) {
		t.Fatalf("error %v, want the host lost", err)
	}
	want(t, "endings", b.endings(), []string{"ok"})
}
