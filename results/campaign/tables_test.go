package campaign

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
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

// TestTablesAfterAnyFailureAreThoseOfAnUndisturbedCampaign fails operations of a
// campaign that publishes its tables, and loses what was not synced. Whoever
// opens a table then finds a whole one. Once it has gone on, the bytes of all
// tables are those of an undisturbed campaign, with what only says how a run came
// about set equal.
func TestTablesAfterAnyFailureAreThoseOfAnUndisturbedCampaign(t *testing.T) {
	plan := testPlan(2, 1)
	want := tablesOf(t, undisturbedWith(t, plan, publishing()))
	if len(want) < 4 {
		t.Fatalf("only %d tables", len(want))
	}
	for name, fault := range map[string]struct {
		fsystest.Fault
		stride int
	}{
		"once":     {fsystest.Fault{Err: syscall.EIO}, 1},
		"for ever": {fsystest.Fault{Err: syscall.ENOSPC, Forever: true}, 5}, // each in turn elsewhere
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			stride := fault.stride
			if raced { // it takes ten times as long
				stride *= 11
			}
			for k, hit := 1, true; hit; k += stride {
				fault.At = k
				m := fsystest.NewMemory()
				faults := fsystest.NewFaults(m, fault.Fault)
				_ = attemptWith(faults, plan, publishing(), ignore) // it may well fail
				hit = faults.Hit()
				m = m.Crash()
				wantReadable(t, k, m)
				must(t, attemptWith(m, plan, publishing(), ignore))
				got := tablesOf(t, m.Kill())
				for name, text := range want {
					if !bytes.Equal(got[name], text) {
						t.Errorf("operation %d: %s has other bytes", k, name)
					}
				}
			}
		})
	}
}

// publishing is a configuration with tables as mpf makes them.
func publishing() Config {
	config := testConfig()
	config.Segments = func(w io.Writer, host string) (Segment, error) { return parquet.NewSegment(w, host) }
	config.Tables = tables.NewPublisher(nil, tables.Options{MPF: "test"})
	return config
}

// wantReadable reads every value of the tables that are there.
func wantReadable(t *testing.T, k int, m *fsystest.Memory) {
	t.Helper()
	for _, name := range []string{tables.RunsFile, tables.StepsFile, tables.UsageFile, tables.SamplesFile} {
		text, err := fsys.ReadFile(m, name, 1<<20)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		must(t, err)
		file, err := parquet.NewFile(bytes.NewReader(text))
		if err != nil {
			t.Fatalf("operation %d: %s: %v", k, name, err)
		}
		for group := range file.Groups() {
			for column := range file.Fields() {
				if _, err := file.Read(group, column); err != nil {
					t.Errorf("operation %d: %s: %v", k, name, err)
				}
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
