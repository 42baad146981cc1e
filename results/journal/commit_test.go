package journal

import (
	"sync"
	"sync/atomic"
	"testing"

	"mpf/engine"
)

// A journal that refused all it was given is as it was before.
func TestRefusedEventsLeaveNothing(t *testing.T) {
	tree := testJournal(t, 1, 2, true)
	before := read(t, tree, segmentName(1))
	j := openTest(t, tree)
	if err := j.Commit(benchEnd(benchStart(7), 1)); err == nil {
		t.Fatal("a DONE without START was taken")
	}
	must(t, j.Close())
	j = openTest(t, tree)
	if n := j.Count()[engine.OK]; n != 2 || string(read(t, tree, segmentName(1))) != string(before) {
		t.Errorf("%d rows", n)
	}
	must(t, j.Close())
}

// Many and few committers at once, some of whom write for all: each event is
// recorded once, in an order that its committer saw.
func TestCommittersTakeTurns(t *testing.T) {
	tree := newTree(t)
	j := openTest(t, tree)
	must(t, j.Commit(&Planned{Plan: 1, File: "plan/0001.json"}))
	const runs = 400
	for _, flying := range []int{1, 2, 3, 20, 100, 2, 1} {
		first := uint64(j.Count()[engine.OK])
		var next atomic.Uint64
		var workers sync.WaitGroup
		for range flying {
			workers.Go(func() {
				for i := next.Add(1); i <= runs; i = next.Add(1) {
					s := benchStart(first + i)
					if err := j.Commit(s); err != nil {
						t.Error(err)
					}
					if state := j.State(s.Start.Run.ID); !state.Open {
						t.Errorf("run %d is not open", i)
					}
					if err := j.Commit(benchEnd(s, 1)); err != nil {
						t.Error(err)
					}
				}
			})
		}
		workers.Wait()
	}
	must(t, j.Close())
	j = openTest(t, tree)
	seen := map[engine.RunID]bool{}
	for a, err := range j.Attempts(0) {
		must(t, err)
		if seen[a.Started.Start.Run.ID] {
			t.Errorf("run %s twice", a.Started.Start.Run.ID)
		}
		seen[a.Started.Start.Run.ID] = true
	}
	if len(seen) != 7*runs {
		t.Errorf("%d runs, want %d", len(seen), 7*runs)
	}
	must(t, j.Close())
}
