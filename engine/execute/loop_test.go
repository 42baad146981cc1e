package execute

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/enginetest"
)

func TestEveryRunOfTheDesignGetsARowInItsOrder(t *testing.T) {
	b := newBench(t, 3, func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		return value("twice", int64(2*level(run))), nil
	})
	b.execute(t)
	want(t, "endings", b.endings(), []string{"ok", "ok", "ok"})
	for i, end := range b.ledger.Ends {
		if got := end.Done.Results[0]; got.Name != "twice" || got.Value != int64(2*i) {
			t.Errorf("run %d: results %v", i, end.Done.Results)
		}
	}
	if got := b.runs.observed.Load(); got != 3 {
		t.Errorf("the design observed %d runs, want 3", got)
	}
}

func TestAFailureIsARowAndTheRunsAfterItGoOn(t *testing.T) {
	b := newBench(t, 3, func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		switch level(run) {
		case 0:
			return nil, errors.New("no such thing")
		case 1:
			panic("oops")
		}
		return nil, nil
	})
	b.execute(t)
	want(t, "endings", b.endings(), []string{"failed/script", "failed/script", "ok"})
	first := b.ledger.Ends[0].Done
	if first.Message != "no such thing" || first.Step != "measure" || first.Host != "h1" || first.Trace[0].Line != 3 {
		t.Errorf("the row does not say what failed where: %+v", first)
	}
	if !strings.Contains(b.ledger.Ends[1].Done.Message, "oops") {
		t.Errorf("the panic's text is lost: %q", b.ledger.Ends[1].Done.Message)
	}
}

func TestFinishedRunsAreNotRepeatedUnlessAsked(t *testing.T) {
	var calls atomic.Int32
	b := newBench(t, 2, func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		calls.Add(1)
		if level(run) == 1 {
			return nil, errors.New("no")
		}
		return nil, nil
	})
	b.execute(t)
	b.execute(t)
	if calls.Load() != 2 {
		t.Errorf("%d steps after two invocations, want 2", calls.Load())
	}
	b.Again = map[engine.Status]bool{engine.Failed: true}
	b.execute(t)
	if calls.Load() != 3 {
		t.Errorf("%d steps after failed runs were asked for again, want 3", calls.Load())
	}
	if last := b.ledger.Ends[2].Start; last.Attempt != 2 {
		t.Errorf("the repeated run has attempt %d, want 2", last.Attempt)
	}
}

func TestRetriesOfAStepRepeatItsRun(t *testing.T) {
	b := newBench(t, 1, func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		if run.Attempt < 3 {
			return nil, &engine.Failure{Status: engine.Failed, Cause: engine.CauseExit, Message: "not yet"}
		}
		return nil, nil
	})
	b.Experiment.Timeline[0][0].Retries = 2
	b.execute(t)
	want(t, "endings", b.endings(), []string{"failed/exit", "failed/exit", "ok"})
}

func TestAStepOverItsTimeoutEndsItsRunOnly(t *testing.T) {
	b := newBench(t, 2, func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		if level(run) == 0 {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		return nil, nil
	})
	b.Experiment.Timeout = time.Millisecond
	b.execute(t)
	want(t, "endings", b.endings()[:1], []string{"timeout/step"})
	if got := b.ledger.Ends[0].Done.Message; got != "over its timeout of 1ms" {
		t.Errorf("message %q", got)
	}
}

func TestCleanupRunsAfterSuccessAndFailure(t *testing.T) {
	b := newBench(t, 2, func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		if level(run) == 0 {
			return nil, errors.New("no")
		}
		return nil, nil
	})
	var cleaned []int
	b.Experiment.Roles[0].Cleanup = []engine.Step{{Name: "tidy", Do: func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		cleaned = append(cleaned, level(run))
		return nil, nil
	}}}
	b.execute(t)
	want(t, "cleaned", cleaned, []int{0, 1})
}

func TestACleanupThatFailsDoesNotHideTheRunsOwnError(t *testing.T) {
	fails := func(text string) engine.StepFunc {
		return func(context.Context, *engine.RunContext) (engine.Results, error) { return nil, errors.New(text) }
	}
	b := newBench(t, 1, fails("first"))
	b.Experiment.Roles[0].Cleanup = []engine.Step{{Name: "tidy", Do: fails("second")}}
	b.execute(t)
	if got := b.ledger.Ends[0].Done.Message; got != "first" {
		t.Errorf("message %q, want that of the step", got)
	}
}

func TestAnInterruptIsARowAndNothingStartsAfterIt(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := newBench(t, 3, func(step context.Context, run *engine.RunContext) (engine.Results, error) {
		if level(run) == 1 {
			cancel()
			<-step.Done()
			return nil, step.Err()
		}
		return nil, nil
	})
	if err := b.Execute(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want context.Canceled", err)
	}
	want(t, "endings", b.endings(), []string{"ok", "interrupted/user"})
	b.Experiment.Timeline[0][0].Do = func(context.Context, *engine.RunContext) (engine.Results, error) { return nil, nil }
	b.execute(t)
	want(t, "endings after going on", b.endings(), []string{"ok", "interrupted/user", "ok", "ok"})
}

func TestALedgerThatFailsEndsTheLoop(t *testing.T) {
	b := newBench(t, 3, nil)
	b.Experiment.Timeline[0][0].Do = func(context.Context, *engine.RunContext) (engine.Results, error) {
		b.ledger.Fail = errors.New("no space left on device")
		return nil, nil
	}
	storage := new(StorageError)
	if err := b.Execute(t.Context()); !errors.As(err, &storage) {
		t.Fatalf("error %v, want a *StorageError", err)
	}
	want(t, "endings", b.endings(), []string{"ok"})
}

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

func TestGroupsExecuteDisjointRunsAtOnce(t *testing.T) {
	var both sync.WaitGroup
	both.Add(2)
	b := newBench(t, 2, func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		both.Done()
		both.Wait() // ends only if two runs are under way at once
		return value("host", run.Host.Name), nil
	})
	b.Groups = append(b.Groups, group("b", "client", enginetest.NewHost(t, "h2")))
	b.execute(t)
	groups := map[string]bool{}
	for _, end := range b.ledger.Ends {
		groups[end.Start.Group+end.Done.Results[0].Value.(string)] = true
	}
	if !groups["ah1"] || !groups["bh2"] {
		t.Errorf("groups and hosts %v", groups)
	}
}

func TestAnUnfinishedAttemptIsFencedAndItsRunRepeated(t *testing.T) {
	b := newBench(t, 1, func(context.Context, *engine.RunContext) (engine.Results, error) { return nil, nil })
	b.ledger.LeaveUnfinished(engine.Start{
		Run: b.runs.blocks[0][0], Attempt: 1, Nonce: "old", Hosts: []engine.RoleHost{{Role: "client", Host: "h1"}},
	})
	b.execute(t)
	want(t, "fences", b.ledger.Fences, []string{"h1 swept"})
	if got := b.ledger.Starts[0].Attempt; got != 2 {
		t.Errorf("the repeated run has attempt %d, want 2", got)
	}
}

func TestSetupRunsOncePerHostBeforeTheFirstRun(t *testing.T) {
	var lock sync.Mutex
	var events []string
	note := func(kind string) engine.StepFunc {
		return func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
			lock.Lock()
			defer lock.Unlock()
			events = append(events, kind)
			return nil, nil
		}
	}
	b := newBench(t, 2, note("run"))
	b.Groups[0] = group("a", "client", b.host, enginetest.NewHost(t, "h2"))
	b.Experiment.Roles[0].Setup = []engine.Step{{Name: "prepare", Do: note("setup")}}
	b.execute(t)
	want(t, "events", events, []string{"setup", "setup", "run", "run", "run", "run"})
}

func TestASetupThatFailsStartsNoRun(t *testing.T) {
	b := newBench(t, 2, func(context.Context, *engine.RunContext) (engine.Results, error) { return nil, nil })
	b.Experiment.Roles[0].Setup = []engine.Step{{Name: "prepare", Do: func(context.Context, *engine.RunContext) (engine.Results, error) {
		return nil, errors.New("disk is full")
	}}}
	setup := new(SetupError)
	if err := b.Execute(t.Context()); !errors.As(err, &setup) || setup.Host != "h1" {
		t.Fatalf("error %v, want a *SetupError on h1", err)
	}
	if len(b.ledger.Starts) != 0 {
		t.Errorf("%d attempts started", len(b.ledger.Starts))
	}
}

func TestWhatCommandsPrintIsKeptWithTheAttempt(t *testing.T) {
	b := newBench(t, 1, func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		for _, word := range []string{"one", "three"} {
			out, err := run.Workspace.Run(ctx, engine.Command{Argv: []string{"echo", word}})
			if err != nil {
				return nil, err
			}
			run.Journal.Command(out)
		}
		return nil, run.Workspace.WriteFile(ctx, "kept", []byte("x"), 0o600)
	})
	b.execute(t)
	end := b.ledger.Ends[0]
	text, err := os.ReadFile(filepath.Join(b.ledger.Root, end.Start.Nonce, "stdout"))
	if err != nil || string(text) != "one\nthree\n" {
		t.Fatalf("stdout %q, %v", text, err)
	}
	second := end.Done.Steps[0].Commands[1]
	if got := text[second.Stdout.Offset:][:second.Stdout.Kept]; string(got) != "three\n" {
		t.Errorf("the second command's output is %q", got)
	}
}

func TestWhatAStepLeftRunningIsStoppedAndItsOutputKept(t *testing.T) {
	b := newBench(t, 1, func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		p, err := run.Workspace.Start(ctx, engine.Command{Argv: []string{"sh", "-c", "echo up; exec sleep 60"}}, engine.Ready{})
		for err == nil {
			var text []byte
			if text, err = p.Stdout(ctx); len(text) > 0 {
				return nil, nil
			}
		}
		return nil, err
	})
	b.execute(t)
	commands := b.ledger.Ends[0].Done.Steps[0].Commands
	if len(commands) != 1 || !commands[0].Background || commands[0].Stdout.Size != 3 {
		t.Errorf("commands %+v, want the background one with its output", commands)
	}
}

func TestFilesLeftInOutAreFetchedAlsoAfterAFailure(t *testing.T) {
	b := newBench(t, 1, func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		dir := filepath.Join(run.Workspace.Dir(), "out")
		if err := os.Mkdir(dir, 0o700); err != nil {
			return nil, err
		}
		if err := os.WriteFile(filepath.Join(dir, "trace.bin"), []byte("t"), 0o600); err != nil {
			return nil, err
		}
		return nil, errors.New("failed later")
	})
	b.execute(t)
	path := filepath.Join(b.ledger.Root, b.ledger.Starts[0].Nonce, "files", "h1", "out", "trace.bin")
	if data, err := os.ReadFile(path); err != nil || string(data) != "t" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestRunSeedsDependOnSeedAndRunOnly(t *testing.T) {
	seeds := func(seed int64) (all []uint64) {
		b := newBench(t, 2, func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
			all = append(all, run.Seed)
			return nil, nil
		})
		b.Experiment.Seed = seed
		b.execute(t)
		return all
	}
	a, again, other := seeds(1), seeds(1), seeds(2)
	want(t, "seeds", a, again)
	if a[0] == a[1] || a[0] == other[0] {
		t.Errorf("seeds %v and %v collide", a, other)
	}
}

func TestAVariableChoosesTheHostOfARole(t *testing.T) {
	b := newBench(t, 1, func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		return value("on", run.Host.Name), nil
	})
	b.Experiment.Variables = []engine.Variable{{Name: "where", Levels: []engine.Level{{Label: "h1", Value: "h1"}, {Label: "h2", Value: "h2"}}}}
	b.Experiment.Roles[0].HostsFrom = "where"
	b.Design = design(b.Experiment, 1)
	b.Groups[0].Hosts["h2"] = enginetest.NewHost(t, "h2")
	b.execute(t)
	var on []string
	for _, end := range b.ledger.Ends {
		on = append(on, fmt.Sprint(end.Done.Results[0].Value))
	}
	want(t, "hosts", on, []string{"h1", "h2"})
}

// asked is a ledger that counts the runs it is asked for.
type asked struct {
	*enginetest.Ledger
	runs atomic.Int32
}

func (a *asked) State(id engine.RunID) engine.RunState {
	a.runs.Add(1)
	return a.Ledger.State(id)
}

// Of a large campaign that goes on, only the runs that did not end ok are looked
// at; where results decide on more runs, each one is.
func TestRunsThatAreOverNeedNoLook(t *testing.T) {
	fails := true
	b := newBench(t, 100, func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		if fails && level(run) == 50 {
			return nil, errors.New("once")
		}
		return nil, nil
	})
	b.execute(t)
	fails = false
	ledger := &asked{Ledger: b.ledger}
	b.Loop.Ledger, b.Again = ledger, map[engine.Status]bool{engine.Failed: true}
	b.execute(t)
	if got := len(b.ledger.Ends); got != 101 || b.ledger.Ends[100].Done.Status != engine.OK {
		t.Errorf("%d attempts, want one more than runs", got)
	}
	few := ledger.runs.Swap(0)
	b.Experiment.Stopping = []engine.Stopping{{Result: "x"}}
	b.execute(t)
	if all := ledger.runs.Load(); few > 5 || all != 100 {
		t.Errorf("the ledger was asked %d times, and %d times where results decide", few, all)
	}
}
