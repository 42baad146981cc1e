package campaign

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"syscall"
	"testing"

	"mpf/engine"
	"mpf/results/fsys"
	"mpf/results/fsys/fsystest"
	"mpf/results/lastword"
	"mpf/results/record"
)

// faults are the ways in which an operation fails.
var faults = map[string]fsystest.Fault{
	"EIO":            {Err: syscall.EIO},
	"ENOSPC, 1 byte": {Err: syscall.ENOSPC, Short: func(n int) int { return min(n, 1) }},
	"ENOSPC, half":   {Err: syscall.ENOSPC, Short: func(n int) int { return n / 2 }},
}

// TestEveryFailureOfStorage fails every operation of a small campaign in turn,
// once and for ever, then loses what was not synced, and goes on. Whatever
// happened: what was acknowledged is there, no run has two rows, and the rows
// are those of an undisturbed campaign.
func TestEveryFailureOfStorage(t *testing.T) {
	plan := testPlan(2, 1)
	want := rowsOf(t, undisturbed(t, plan))
	bases := map[string]*fsystest.Memory{"new": fsystest.NewMemory(), "torn": torn(t, plan)}
	for base, m := range bases {
		for name, fault := range faults {
			for _, forever := range []bool{false, true} {
				fault.Forever = forever
				t.Run(fmt.Sprintf("%s campaign, %s, forever=%v", base, name, forever), func(t *testing.T) {
					t.Parallel()
					sweep(t, m, plan, fault, want)
				})
			}
		}
	}
}

func undisturbed(t *testing.T, plan record.Plan) *fsystest.Memory {
	return undisturbedWith(t, plan, testConfig())
}

func undisturbedWith(t *testing.T, plan record.Plan, config Config) *fsystest.Memory {
	t.Helper()
	m := fsystest.NewMemory()
	c, err := create(m, "memory", plan, nil, config)
	must(t, err)
	must(t, goOn(c, plan, ignore))
	must(t, c.Close())
	return m.Kill()
}

// torn is a campaign whose engine died in its second run, while it wrote.
func torn(t *testing.T, plan record.Plan) *fsystest.Memory {
	t.Helper()
	m := fsystest.NewMemory()
	c, err := create(m, "memory", plan, nil, testConfig())
	must(t, err)
	runs := runsOf(plan)
	must(t, execute(c, runs[0]))
	log, err := c.Open(ctx, startOf(runs[1], 1))
	must(t, err)
	log.Readings("h1").Put(engine.Reading{})
	must(t, c.release())
	m = m.Kill()
	f, err := m.OpenFile("journal/00000001.jsonl", os.O_RDWR)
	must(t, err)
	_, err = io.Copy(io.Discard, f)
	must(t, err)
	_, err = f.Write([]byte(`{"n":99,"len"`))
	must(t, err)
	must(t, f.Sync())
	return m
}

// sweep fails one operation after the other until none is left to fail, with
// and without the loss of what was not synced.
func sweep(t *testing.T, base *fsystest.Memory, plan record.Plan, fault fsystest.Fault, want map[engine.RunID]engine.Results) {
	for fault.At = 1; ; fault.At++ {
		m := base.Kill()
		tree := fsystest.NewFaults(m, fault)
		acknowledged := map[engine.RunID]bool{}
		err := attemptCampaign(tree, plan, func(r engine.Run) { acknowledged[r.ID] = true })
		if !tree.Hit() {
			must(t, err)
			t.Logf("%d operations", fault.At-1)
			return
		}
		checkStorageError(t, fault.At, err)
		for _, left := range []*fsystest.Memory{m.Kill(), m.Crash()} {
			checkAcknowledged(t, fault.At, left.Kill(), acknowledged)
			left = left.Kill()
			must(t, attemptCampaign(left, plan, ignore))
			if got := rowsOf(t, left.Crash()); !reflect.DeepEqual(got, want) {
				t.Fatalf("operation %d: rows %v, want %v", fault.At, got, want)
			}
		}
	}
}

// attemptCampaign does what mpf run does: begin, or go on.
func attemptCampaign(tree fsys.FS, plan record.Plan, acknowledged func(engine.Run)) error {
	return attemptWith(tree, plan, testConfig(), acknowledged)
}

func attemptWith(tree fsys.FS, plan record.Plan, config Config, acknowledged func(engine.Run)) error {
	c, err := open(tree, "memory", config)
	if errors.Is(err, ErrNotBegun) {
		c, err = create(tree, "memory", plan, nil, config)
	}
	if err != nil {
		return err
	}
	if err := goOn(c, plan, acknowledged); err != nil {
		return errors.Join(err, c.Close())
	}
	return c.Close()
}

// checkStorageError wants the kind that exit code 5 stands for, if any: an
// operation whose failure does no harm may go unnoticed.
func checkStorageError(t *testing.T, k int, err error) {
	t.Helper()
	var storage *StorageError
	if err != nil && !errors.As(err, &storage) {
		t.Fatalf("operation %d: not an error of storage: %v", k, err)
	}
}

// checkAcknowledged wants a row for every run that was reported done.
func checkAcknowledged(t *testing.T, k int, m *fsystest.Memory, acknowledged map[engine.RunID]bool) {
	t.Helper()
	if len(acknowledged) == 0 {
		return
	}
	rows := rowsOf(t, m)
	for run := range acknowledged {
		if rows[run] == nil {
			t.Fatalf("operation %d: the acknowledged run %s is lost", k, run)
		}
	}
}

// rowsOf reads the results of all rows; a second ok attempt of a run is an
// error. The files of every attempt are compared with their record.
func rowsOf(t *testing.T, m *fsystest.Memory) map[engine.RunID]engine.Results {
	t.Helper()
	c, err := read(m, "memory")
	must(t, err)
	rows := map[engine.RunID]engine.Results{}
	for a, err := range c.Attempts() {
		must(t, err)
		if a.Done.Status == engine.OK {
			if rows[a.Start.Run.ID] != nil {
				t.Fatalf("run %s has two rows", a.Start.Run.ID)
			}
			rows[a.Start.Run.ID] = a.Done.Results
			checkFiles(t, c, a)
		}
	}
	return rows
}

func TestFullDiskLeavesAWord(t *testing.T) {
	dir := t.TempDir()
	plan := testPlan(1, 1)
	tree, err := fsys.OpenDir(dir)
	must(t, err)
	c, err := create(tree, dir, plan, nil, testConfig())
	must(t, err)
	log, err := c.Open(ctx, startOf(runsOf(plan)[0], 1))
	must(t, err)
	err = c.fail(&fs.PathError{Op: "write", Path: "x", Err: syscall.ENOSPC})
	var storage *StorageError
	if !errors.As(err, &storage) || storage.Hint() == "" {
		t.Fatalf("%v", err)
	}
	if err := log.Done(ctx, doneOf(runsOf(plan)[0])); !errors.As(err, &storage) {
		t.Errorf("done after a failure of storage: %v", err)
	}
	text, err := os.ReadFile(filepath.Join(dir, lastword.Name))
	must(t, err)
	for _, want := range []string{"no space left on device", runsOf(plan)[0].ID.String()} {
		if !strings.Contains(string(text), want) {
			t.Errorf("%q is not in %s", want, text)
		}
	}
	if _, err := os.Lstat(filepath.Join(dir, "reserve")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the reserve was not freed: %v", err)
	}
	if err := c.Close(); !errors.As(err, &storage) {
		t.Errorf("close: %v", err)
	}
	c, err = Open(dir, testConfig())
	must(t, err)
	must(t, goOn(c, plan, ignore))
	must(t, c.Close())
	if _, err := os.Lstat(filepath.Join(dir, lastword.Name)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the word of the failure stayed: %v", err)
	}
}
