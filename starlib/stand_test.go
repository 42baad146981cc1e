package starlib

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"go.starlark.net/syntax"

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

func failureOf(t *testing.T, err error) *engine.Failure {
	t.Helper()
	failure := new(engine.Failure)
	if !errors.As(err, &failure) {
		t.Fatalf("got %v, want a Failure", err)
	}
	return failure
}

func runTop(t *testing.T, top, body string) (*stand, engine.Results, error) {
	t.Helper()
	s := newStand(t, mustLoad(t, top+script1(body)), 1)
	results, err := s.run(t.Context())
	return s, results, err
}

// quoted writes text as a script does.
func quoted(text string) string { return syntax.Quote(text, false) }
