package starlib

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/enginetest"
)

// A page is a StepJournal in memory.
type page struct {
	sync.Mutex
	dir      string
	logs     []string
	commands []engine.Output
	spans    []string
}

func (p *page) Log(text string) { p.Lock(); defer p.Unlock(); p.logs = append(p.logs, text) }
func (p *page) Command(o engine.Output) {
	p.Lock()
	defer p.Unlock()
	p.commands = append(p.commands, o)
}
func (p *page) Span(name string, _ time.Time, _ time.Duration, _ map[string]engine.Value) {
	p.spans = append(p.spans, name)
}
func (p *page) FilePath(name string) (string, error) { return filepath.Join(p.dir, name), nil }

// A stage of one machine.
type oneHost struct{ info engine.HostInfo }

func (o oneHost) Hosts(string) ([]engine.HostInfo, error) { return []engine.HostInfo{o.info}, nil }
func (o oneHost) Link(name string) (engine.Link, error) {
	return engine.Link{Name: name, Ends: [2]engine.LinkEnd{{Host: "other", Address: "10.0.0.2"}, {Host: o.info.Name, Interface: "lo", Address: "127.0.0.1"}}}, nil
}

type noMeeting struct{ signals chan string }

func (noMeeting) Barrier(ctx context.Context, _ string, _ int) error { <-ctx.Done(); return ctx.Err() }
func (m noMeeting) Signal(name string)                               { m.signals <- name }
func (m noMeeting) Await(ctx context.Context, name string) error {
	select {
	case <-m.signals:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// A stand executes the steps of an experiment on this machine.
type stand struct {
	e    *engine.Experiment
	rc   *engine.RunContext
	page *page
}

func newStand(t testing.TB, e *engine.Experiment, treatment ...int) *stand {
	t.Helper()
	host := enginetest.NewHost(t, "h1")
	room, err := host.Open(t.Context(), engine.Attempt{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if _, err := room.Close(context.Background()); err != nil {
			t.Error(err)
		}
	})
	p := &page{dir: t.TempDir()}
	return &stand{e: e, page: p, rc: &engine.RunContext{
		Experiment: e, Run: engine.Run{Treatment: treatment, Replicate: 1}, Attempt: 1, Role: e.Roles[0].Name,
		Host: host.Info(), Workspace: room, Seed: 1 << 63, Cluster: oneHost{host.Info()},
		Meeting: noMeeting{make(chan string, 8)}, Journal: p,
	}}
}

func (s *stand) run(ctx context.Context) (engine.Results, error) {
	step := &s.e.Timeline[0][0]
	s.rc.Step = step
	return step.Do(ctx, s.rc)
}

// script makes an experiment of one step with the body given.
func script1(body string) string {
	return "experiment(\"x\")\nvariable(\"n\", [1, 2])\nr = role(\"r\")\ndef f(ctx, n):\n    " +
		strings.ReplaceAll(strings.TrimSpace(body), "\n", "\n    ") + "\nr.step(f)\n"
}

func runBody(t *testing.T, body string) (*stand, engine.Results, error) {
	t.Helper()
	s := newStand(t, mustLoad(t, script1(body)), 1)
	results, err := s.run(t.Context())
	return s, results, err
}

func TestAStepRunsCommandsAndReturnsResults(t *testing.T) {
	s, results, err := runBody(t, `
out = ctx.run("echo", "a b", n, None, ["x", 1.5], stdin = "")
return {"words": out.stdout.strip(), "level": n, "none": None}`)
	if err != nil {
		t.Fatal(err)
	}
	want := engine.Results{{Name: "words", Value: "a b 2 x 1.5"}, {Name: "level", Value: int64(2)}, {Name: "none"}}
	for i, r := range results {
		if r != want[i] {
			t.Errorf("got %v, want %v", r, want[i])
		}
	}
	if len(results) != len(want) || len(s.page.commands) != 1 {
		t.Errorf("%v, %d commands", results, len(s.page.commands))
	}
}

func failureOf(t *testing.T, err error) *engine.Failure {
	t.Helper()
	failure := new(engine.Failure)
	if !errors.As(err, &failure) {
		t.Fatalf("got %v, want a Failure", err)
	}
	return failure
}

func TestAFailedCommandFailsTheRun(t *testing.T) {
	_, _, err := runBody(t, `ctx.run("sh", "-c", "echo oh no >&2; exit 3")`)
	f := failureOf(t, err)
	if f.Status != engine.Failed || f.Cause != engine.CauseExit || f.Message != `sh: exit status 3; stderr ends "oh no"` {
		t.Errorf("%+v", f)
	}
	if len(f.Trace) != 1 || f.Trace[0].Line != 5 || f.Trace[0].Col != 12 || f.Step != "f" || f.Host != "h1" {
		t.Errorf("%+v", f)
	}
}

func TestFilesGoToHostsAndBack(t *testing.T) {
	s, results, err := runBody(t, `
ctx.write("a.txt", "hé\n")
ctx.run("cp", "a.txt", "b.txt")
return {"text": ctx.read("b.txt"), "file": ctx.get("b.txt")}`)
	if err != nil {
		t.Fatal(err)
	}
	fetched, err := os.ReadFile(filepath.Join(s.page.dir, "b.txt"))
	if err != nil || string(fetched) != "hé\n" || results[0].Value != "hé\n" || results[1].Value != "b.txt" {
		t.Errorf("%q %v %v", fetched, results, err)
	}
}
