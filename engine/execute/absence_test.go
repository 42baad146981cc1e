package execute

import (
	"context"
	"errors"
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

func TestAHostThatRebootedIsTheCause(t *testing.T) {
	b := newBench(t, 1, func(context.Context, *engine.RunContext) (engine.Results, error) { return nil, nil })
	b.host.Down, b.host.Refuses, b.host.How = errors.New("connection lost"), 1, "rebooted"
	b.execute(t)
	want(t, "endings", b.endings(), []string{"unreachable/rebooted", "ok"})
	want(t, "fences", b.ledger.Fences, []string{"h1 rebooted"})
	if got := b.ledger.Ends[0].Done.Message; got != `it was rebooted; what was seen of it: connection lost` {
		t.Errorf("message %q", got)
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
