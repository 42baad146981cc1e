package execute

import (
	"context"
	"iter"
	"slices"
	"sync/atomic"
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/enginetest"
)

// runs is a design of n treatments of one variable "n" in one block each replicate.
type runs struct {
	blocks   [][]engine.Run
	observed atomic.Int32
}

func (r *runs) Blocks() int                        { return len(r.blocks) }
func (r *runs) Observe(engine.Run, engine.Results) { r.observed.Add(1) }
func (r *runs) EndBlock(b int) []engine.Decision   { return nil }

func (r *runs) Without(b int, over engine.Places) iter.Seq[engine.Run] {
	return func(yield func(engine.Run) bool) {
		for _, run := range r.blocks[b-1] {
			if !over.Has(run.Position) && !yield(run) {
				return
			}
		}
	}
}

func number(n int) engine.Variable {
	v := engine.Variable{Name: "n"}
	for i := range n {
		v.Levels = append(v.Levels, engine.Level{Label: engine.FormatValue(int64(i)), Value: int64(i)})
	}
	return v
}

func design(e *engine.Experiment, replicates int) *runs {
	id := engine.NewIdentifier(e.Name, e.Seed, e.Variables)
	d := &runs{}
	position := int64(0)
	for r := 1; r <= replicates; r++ {
		var block []engine.Run
		for i := range e.Variables[0].Levels {
			t := engine.Treatment{i}
			block = append(block, engine.Run{ID: id.Identify(t, r), Treatment: t, Replicate: r, Block: r, Position: position})
			position++
		}
		d.blocks = append(d.blocks, block)
	}
	return d
}

// A bench is a loop over one role "client" with a step "measure" on one host.
type bench struct {
	*Loop
	ledger *enginetest.Ledger
	host   *enginetest.Host
	runs   *runs
}

func newBench(t *testing.T, n int, do engine.StepFunc) *bench {
	e := &engine.Experiment{
		Name: "bench", Variables: []engine.Variable{number(n)},
		Roles:    []engine.Role{{Name: "client"}},
		Timeline: []engine.Stage{{{Name: "measure", Do: do, Pos: engine.Pos{File: "bench.star", Line: 3, Col: 1}}}},
	}
	b := &bench{ledger: enginetest.NewLedger(t), host: enginetest.NewHost(t, "h1"), runs: design(e, 1)}
	b.Loop = &Loop{
		Experiment: e, Design: b.runs, Ledger: b.ledger, Clock: instant{},
		Groups: []Group{group("a", "client", b.host)},
	}
	return b
}

func group(name, role string, hosts ...*enginetest.Host) Group {
	g := Group{Name: name, Roles: map[string][]engine.Host{}, Hosts: map[string]engine.Host{}}
	for _, h := range hosts {
		g.Roles[role] = append(g.Roles[role], h)
		g.Hosts[h.Name] = h
	}
	return g
}

// instant is the system's clock in which waiting takes no time.
type instant struct{ engine.SystemClock }

func (instant) Sleep(ctx context.Context, d time.Duration) error { return ctx.Err() }

func (b *bench) execute(t *testing.T) {
	t.Helper()
	if err := b.Execute(t.Context()); err != nil {
		t.Fatal(err)
	}
}

// endings lists `status/cause` of every closed attempt in order.
func (b *bench) endings() []string {
	var ends []string
	for _, end := range b.ledger.Ends {
		text := string(end.Done.Status)
		if end.Done.Cause != "" {
			text += "/" + string(end.Done.Cause)
		}
		ends = append(ends, text)
	}
	return ends
}

func want[T any](t *testing.T, what string, got, want []T) {
	t.Helper()
	if !slices.EqualFunc(got, want, func(a, b T) bool { return any(a) == any(b) }) {
		t.Errorf("%s: got %v, want %v", what, got, want)
	}
}

func value(name string, v engine.Value) engine.Results {
	return engine.Results{{Name: name, Value: v}}
}

func level(run *engine.RunContext) int { return run.Run.Treatment[0] }
