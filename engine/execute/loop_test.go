package execute

import (
	"context"
	"errors"
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
