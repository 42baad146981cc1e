package execute

import (
	"context"
	"errors"
	"strings"
	"testing"

	"mpf/engine"
)

// mistaken is a step that fails by the file's own fault wherever bad says so, at
// a line of its own choice.
func mistaken(bad func(n int) bool, line func(n int) int) engine.StepFunc {
	return func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
		n := level(run)
		if !bad(n) {
			return value("x", int64(n)), nil
		}
		return nil, &engine.Failure{
			Status: engine.Failed, Cause: engine.CauseScript, Message: "unknown binary op",
			Trace: []engine.Pos{{File: "bench.star", Line: line(n), Col: 5}},
		}
	}
}

func everywhere(int) bool { return true }
func sameLine(int) int    { return 7 }
func ownLine(n int) int   { return n }

func TestAMistakeThatFailsTheFirstRunsStopsTheLoop(t *testing.T) {
	b := newBench(t, 10, mistaken(everywhere, sameLine))
	b.Experiment.Timeline[0][0].Retries = 2
	err := b.Execute(t.Context())
	if mistake := new(MistakeError); !errors.As(err, &mistake) || mistake.Runs != 3 || mistake.Last.Trace[0].Line != 7 {
		t.Fatalf("got %v, want a MistakeError", err)
	}
	want(t, "endings", b.endings(), []string{"failed/script", "failed/script", "failed/script"})
	b.KeepGoing = true
	b.execute(t)
	if got := len(b.ledger.Ends); got != 10 {
		t.Errorf("%d rows after going on all the same, want 10", got)
	}
}

func TestAMistakeThatSparesSomeRunsStopsNothing(t *testing.T) {
	for name, step := range map[string]engine.StepFunc{
		"one is ok":        mistaken(func(n int) bool { return n != 1 }, sameLine),
		"different places": mistaken(everywhere, ownLine),
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, 8, step)
			b.execute(t)
			if got := len(b.ledger.Ends); got != 8 {
				t.Errorf("%d rows, want 8", got)
			}
		})
	}
}

func TestARunThatWasOkBeforeLetsMistakesPass(t *testing.T) {
	b := newBench(t, 8, mistaken(func(n int) bool { return n > 0 }, sameLine))
	b.FirstStops = true
	if err := b.Execute(t.Context()); !errors.Is(err, ErrStopped) {
		t.Fatal(err)
	}
	b.FirstStops, b.mistakes = false, mistakes{}
	b.execute(t)
	if got := len(b.ledger.Ends); got != 8 {
		t.Errorf("%d rows, want 8", got)
	}
}

func TestDeclaredResultsThatNoStepReturned(t *testing.T) {
	for _, c := range []struct {
		name     string
		returned engine.Results
		end      string
		message  string
		warning  string
	}{
		{"all", engine.Results{{Name: "a", Value: 1.0}, {Name: "b", Value: 2.0}}, "ok", "", ""},
		{"none", nil, "failed/result-type", `no step returned "a", "b", declared as results (return {"a": value}`, ""},
		{"another", value("c", 1.0), "failed/result-type", `no step returned "a", "b"`, ""},
		{"part", value("b", 1.0), "ok", "", `no step returned "a", declared as a result (return None`},
		{"null", engine.Results{{Name: "a"}, {Name: "b"}}, "ok", "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := newBench(t, 1, func(context.Context, *engine.RunContext) (engine.Results, error) { return c.returned, nil })
			b.Experiment.Results = []engine.ResultColumn{{Name: "a", Type: engine.Float}, {Name: "b", Type: engine.Float}}
			b.execute(t)
			want(t, "endings", b.endings(), []string{c.end})
			done := b.ledger.Ends[0].Done
			warning := ""
			for _, w := range done.Warnings {
				warning += w.Code + ": " + w.Text
			}
			if !strings.HasPrefix(done.Message, c.message) || (warning == "") != (c.warning == "") || !strings.Contains(warning, c.warning) {
				t.Errorf("message %q, warning %q", done.Message, warning)
			}
		})
	}
}

func TestARunWithoutAnyStepLacksItsResults(t *testing.T) {
	b := newBench(t, 1, func(context.Context, *engine.RunContext) (engine.Results, error) { return nil, nil })
	b.Experiment.Results = []engine.ResultColumn{{Name: "a", Type: engine.Float}}
	b.Experiment.Timeline = nil
	b.execute(t)
	want(t, "endings", b.endings(), []string{"ok"})
	if got := b.ledger.Ends[0].Done.Warnings; len(got) != 1 || got[0].Code != MissingResult {
		t.Errorf("warnings %v", got)
	}
}
