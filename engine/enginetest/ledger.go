package enginetest

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"

	"mpf/engine"
)

// A Ledger keeps a record in memory; attempts' folders lie in a temporary one.
type Ledger struct {
	Root string

	lock      sync.Mutex
	Starts    []engine.Start
	Ends      []End
	Decisions []engine.Decision
	Fences    []string
	Order     []string // of all that was recorded: "start 1", "fence 1", "done 1"
	Fail      error    // returned by Open from now on
	unclosed  []engine.Start
	Lost      []engine.Start // returned by Unfenced
	states    map[engine.RunID]engine.RunState
	results   map[engine.RunID]engine.Results
}

// An End is a closed attempt.
type End struct {
	Start engine.Start
	Done  engine.Done
}

// NewLedger makes an empty ledger.
func NewLedger(t testing.TB) *Ledger {
	return &Ledger{
		Root: t.TempDir(), states: map[engine.RunID]engine.RunState{}, results: map[engine.RunID]engine.Results{},
	}
}

// LeaveUnfinished puts an attempt into the ledger that an engine died with.
func (l *Ledger) LeaveUnfinished(s engine.Start) {
	l.unclosed = append(l.unclosed, s)
	l.states[s.Run.ID] = engine.RunState{Attempts: s.Attempt, Open: true}
}

func (l *Ledger) State(id engine.RunID) engine.RunState {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.states[id]
}

// Over returns the places of the runs whose last attempt ended ok.
func (l *Ledger) Over() engine.Places {
	l.lock.Lock()
	defer l.lock.Unlock()
	var over []engine.PlaceRange
	for _, e := range l.Ends {
		if run := e.Start.Run; l.states[run.ID].Status == engine.OK {
			over = append(over, engine.PlaceRange{First: run.Position, End: run.Position + 1})
		}
	}
	return engine.NewPlaces(over)
}

func (l *Ledger) Results(id engine.RunID) (engine.Results, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	return l.results[id], nil
}

func (l *Ledger) Open(ctx context.Context, s engine.Start) (engine.AttemptLog, error) {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.Fail != nil {
		return nil, l.Fail
	}
	l.Starts = append(l.Starts, s)
	l.note("start", s.Attempt)
	l.states[s.Run.ID] = engine.RunState{Status: l.states[s.Run.ID].Status, Attempts: s.Attempt, Open: true}
	dir := filepath.Join(l.Root, s.Nonce)
	return &attemptLog{ledger: l, start: s, dir: dir}, os.MkdirAll(dir, 0o700)
}

func (l *Ledger) Unfenced() ([]engine.Start, error) { return l.Lost, nil }

// note adds to the order. The caller holds the lock.
func (l *Ledger) note(what string, attempt int) {
	l.Order = append(l.Order, fmt.Sprintf("%s %d", what, attempt))
}

func (l *Ledger) Unfinished() []engine.Start { return l.unclosed }

func (l *Ledger) Fence(ctx context.Context, a engine.Attempt, host string, f engine.Fenced) error {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.Fences = append(l.Fences, host+" "+f.How)
	l.note("fence", a.Number)
	return nil
}

func (l *Ledger) Abandon(ctx context.Context, s engine.Start) error {
	l.states[s.Run.ID] = engine.RunState{Status: engine.Interrupted, Attempts: s.Attempt}
	return nil
}

func (l *Ledger) SetupDir() (string, error) {
	dir := filepath.Join(l.Root, "setup")
	return dir, os.MkdirAll(dir, 0o700)
}

func (l *Ledger) Decide(ctx context.Context, d engine.Decision) error {
	l.Decisions = append(l.Decisions, d)
	return nil
}

type attemptLog struct {
	ledger *Ledger
	start  engine.Start
	dir    string
}

func (a *attemptLog) Dir() string                             { return a.dir }
func (a *attemptLog) Readings(host string) engine.ReadingSink { return nil }

func (a *attemptLog) Done(ctx context.Context, d engine.Done) error {
	l := a.ledger
	l.lock.Lock()
	defer l.lock.Unlock()
	l.Ends = append(l.Ends, End{a.start, d})
	l.note("done", a.start.Attempt)
	l.states[a.start.Run.ID] = engine.RunState{Status: d.Status, Attempts: a.start.Attempt}
	l.results[a.start.Run.ID] = d.Results
	return nil
}
