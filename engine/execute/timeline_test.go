package execute

import (
	"context"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/engine/enginetest"
)

func rank(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
	return value("rank", int64(run.Rank)), nil
}

func twoHosts(t *testing.T, do engine.StepFunc) *bench {
	b := newBench(t, 1, do)
	b.Groups[0] = group("a", "client", b.host, enginetest.NewHost(t, "h2"))
	return b
}

func TestResultsOfSeveralHostsNeedAGather(t *testing.T) {
	b := twoHosts(t, rank)
	b.execute(t)
	done := b.ledger.Ends[0].Done
	if done.Cause != engine.CauseResultType || !strings.Contains(done.Message, "gather") {
		t.Errorf("%s: %s", done.Cause, done.Message)
	}
}

func TestAGatherGetsTheValuesInHostOrder(t *testing.T) {
	b := twoHosts(t, rank)
	b.Experiment.Timeline[0][0].Gather = func(ctx context.Context, name string, values []engine.Value) (engine.Value, error) {
		return values, nil
	}
	b.execute(t)
	got := b.ledger.Ends[0].Done.Results[0].Value.([]engine.Value)
	want(t, "ranks", got, []engine.Value{int64(0), int64(1)})
}

func TestTwoStepsMustNotReturnTheSameResult(t *testing.T) {
	b := newBench(t, 1, rank)
	b.Experiment.Timeline = append(b.Experiment.Timeline, engine.Stage{{Name: "again", Do: rank}})
	b.execute(t)
	if got := b.ledger.Ends[0].Done.Message; !strings.Contains(got, `"measure"`) || !strings.Contains(got, `"again"`) {
		t.Errorf("message %q names not both steps", got)
	}
}

func TestStepsOfAStageMeetAtABarrier(t *testing.T) {
	meet := func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		return nil, run.Meeting.Barrier(ctx, "go", 2)
	}
	b := newBench(t, 1, meet)
	b.Experiment.Timeline[0] = append(b.Experiment.Timeline[0], engine.Step{Name: "other", Do: meet})
	b.execute(t)
	want(t, "endings", b.endings(), []string{"ok"})
}

func TestASignalLetsLaterAndEarlierAwaitsPass(t *testing.T) {
	m := newMeeting()
	early := make(chan error, 1)
	go func() { early <- m.Await(t.Context(), "ready") }()
	m.Signal("ready")
	m.Signal("ready")
	if err := <-early; err != nil {
		t.Error(err)
	}
	if err := m.Await(t.Context(), "ready"); err != nil {
		t.Error(err)
	}
}

func TestABarrierSaysHowManyCame(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := newMeeting().Barrier(ctx, "go", 3)
	if err == nil || !strings.Contains(err.Error(), "1 of 3 came") {
		t.Errorf("error %v", err)
	}
}

func TestAFailureInOneStepEndsTheOthersOfItsStage(t *testing.T) {
	b := newBench(t, 1, func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	})
	b.Experiment.Timeline[0] = append(b.Experiment.Timeline[0], engine.Step{Name: "breaks", Do: func(context.Context, *engine.RunContext) (engine.Results, error) {
		return nil, &engine.Failure{Status: engine.Failed, Cause: engine.CauseExit, Message: "exit status 3"}
	}})
	b.execute(t)
	done := b.ledger.Ends[0].Done
	if done.Step != "breaks" || done.Cause != engine.CauseExit {
		t.Errorf("the run ended by step %q with cause %q", done.Step, done.Cause)
	}
}

func TestResultsThatCannotBeGatheredNameTheStep(t *testing.T) {
	b := twoHosts(t, func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		return value("out", "x"), nil
	})
	step := &b.Experiment.Timeline[0][0]
	step.Pos = engine.Pos{File: "x.star", Line: 7, Col: 6}
	step.Gather = func(context.Context, string, []engine.Value) (engine.Value, error) {
		return nil, &engine.Failure{Status: engine.Failed, Cause: engine.CauseResultType, Message: "wants numbers"}
	}
	b.execute(t)
	done := b.ledger.Ends[0].Done
	if done.Step != step.Name || len(done.Trace) != 1 || done.Trace[0] != step.Pos {
		t.Errorf("the run ended by step %q at %v", done.Step, done.Trace)
	}
}

func TestALinkPlacesAStepAtItsEnds(t *testing.T) {
	b := twoHosts(t, func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		return value("at_"+run.Host.Name, run.Link), nil
	})
	b.Experiment.Timeline[0][0].Link = "data"
	b.Groups[0].Links = map[string]engine.Link{"data": {Name: "data", Ends: [2]engine.LinkEnd{{Host: "h2"}, {Host: "elsewhere"}}}}
	b.execute(t)
	if got := b.ledger.Ends[0].Done.Results; len(got) != 1 || got[0].Name != "at_h2" {
		t.Errorf("results %v", got)
	}
}
