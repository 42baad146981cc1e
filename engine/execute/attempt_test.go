package execute

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"mpf/engine"
	"mpf/engine/enginetest"
)

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

func TestABackgroundProcessThatFailedUnseenIsWarnedOf(t *testing.T) {
	for script, want := range map[string]string{
		"exit 4":        `h1: background process "sh" ended by itself, with exit status 4 (its step can see to that: process.wait)`,
		"exit 0":        "",
		"exec sleep 60": "",
	} {
		b := newBench(t, 1, func(ctx context.Context, run *engine.RunContext) (engine.Results, error) {
			p, err := run.Workspace.Start(ctx, engine.Command{Argv: []string{"sh", "-c", script}}, engine.Ready{})
			if err == nil && script != "exec sleep 60" {
				_, err = p.(*started).Process.Wait(ctx) // behind the loop's back
			}
			return nil, err
		})
		b.execute(t)
		done := b.ledger.Ends[0].Done
		got := ""
		for _, w := range done.Warnings {
			got += w.Text
		}
		if got != want || done.Status != engine.OK {
			t.Errorf("%s: %s, warned %q, want %q", script, done.Status, got, want)
		}
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
