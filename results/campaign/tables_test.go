package campaign

import (
	"bytes"
	"io"
	"iter"
	"maps"
	"slices"
	"syscall"
	"testing"

	"mpf/engine"
	"mpf/results/fsys"
	"mpf/results/fsys/fsystest"
	"mpf/results/parquet"
	"mpf/results/record"
	"mpf/results/tables"
)

// TestTablesAfterAnyFailureAreThoseOfAnUndisturbedCampaign compares the bytes
// of all tables, with what only says how a run came about set equal.
func TestTablesAfterAnyFailureAreThoseOfAnUndisturbedCampaign(t *testing.T) {
	plan := testPlan(2, 1)
	config := testConfig()
	config.Segments = func(w io.Writer, host string) (Segment, error) { return parquet.NewSegment(w, host) }
	want := tablesOf(t, undisturbedWith(t, plan, config))
	if len(want) < 3 {
		t.Fatalf("only %d tables", len(want))
	}
	const stride = 7 // every operation is failed in turn elsewhere
	for k, hit := 1, true; hit; k += stride {
		m := fsystest.NewMemory()
		faults := fsystest.NewFaults(m, fsystest.Fault{At: k, Err: syscall.EIO})
		_ = attemptWith(faults, plan, config, ignore) // it may well fail
		hit = faults.Hit()
		m = m.Crash()
		must(t, attemptWith(m, plan, config, ignore))
		got := tablesOf(t, m.Kill())
		for name, text := range want {
			if !bytes.Equal(got[name], text) {
				t.Errorf("operation %d: %s has other bytes", k, name)
			}
		}
	}
}

// tablesOf derives the tables of a campaign and returns their bytes by name.
func tablesOf(t *testing.T, m *fsystest.Memory) map[string][]byte {
	t.Helper()
	c, err := read(m, "memory")
	must(t, err)
	source := &plainSource{c, map[engine.RunID]int{}}
	report, err := tables.Publish(ctx, source, m, tables.Options{MPF: "test"})
	must(t, err)
	all := map[string][]byte{}
	for _, table := range report.Tables {
		if all[table.Path], err = fsys.ReadFile(m, table.Path, 1<<20); err != nil {
			t.Fatal(err)
		}
	}
	return all
}

// A plainSource is a record in which each run succeeded at its first attempt,
// in the order of the design.
type plainSource struct {
	*Campaign
	attempts map[engine.RunID]int
}

func (s *plainSource) AttemptDir(run engine.RunID, _ int) string {
	return attemptDir(run, s.attempts[run])
}

func (s *plainSource) Attempts() iter.Seq2[*record.Attempt, error] { return s.AttemptsAfter(0) }

func (s *plainSource) AttemptsAfter(sequence int64) iter.Seq2[*record.Attempt, error] {
	return func(yield func(*record.Attempt, error) bool) {
		rows := map[int64]*record.Attempt{}
		for a, err := range s.Campaign.Attempts() {
			if err != nil {
				yield(nil, err)
				return
			}
			if a.Done.Status == engine.OK {
				s.attempts[a.Start.Run.ID] = a.Start.Attempt
				a.Start.Attempt, a.Start.Nonce, a.Invocation = 1, "", 1
				a.Sequence = a.Start.Run.Position + 1
				rows[a.Sequence] = a
			}
		}
		for _, n := range slices.Sorted(maps.Keys(rows)) {
			if n > sequence && !yield(rows[n], nil) {
				return
			}
		}
	}
}
