package tables

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/results/fsys/fsystest"
)

// onDisk publishes a record into a directory.
func onDisk(t *testing.T, c *campaign) string {
	t.Helper()
	tree, dir := fsystest.OnDisk(t)
	if _, err := Publish(context.Background(), c, tree, Options{}); err != nil {
		t.Fatal(err)
	}
	return dir
}

func compared(t *testing.T, c *campaign, dir string) *Comparison {
	t.Helper()
	found, err := Compare(context.Background(), c, dir, t.TempDir(), Options{})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func TestTablesAreComparedWithTheRecord(t *testing.T) {
	c := newCampaign(3)
	dir := onDisk(t, c)
	if found := compared(t, c, dir); len(found.Problems)+len(found.Stale)+len(found.Missing) > 0 || found.Rows < 36 {
		t.Errorf("of its own tables: %+v", found)
	}
	c.attempts[7].Done.Results[0].Value = 1.5
	found := compared(t, c, dir)
	if want := `runs.parquet: column "goodput", row 8: is `; len(found.Problems) != 1 || !strings.HasPrefix(found.Problems[0], want) {
		t.Errorf("of a changed value: %q, want one that begins %q", found.Problems, want)
	}
	c.attempts[7].Done.Results = append(c.attempts[7].Done.Results, engine.NamedValue{Name: "late", Value: int64(1)})
	if found := compared(t, c, dir); len(found.Problems) != 1 {
		t.Errorf("of another column: %q", found.Problems)
	}
}

func TestTablesThatTheRecordHasGoneBeyondAreStale(t *testing.T) {
	c := newCampaign(3)
	all := c.attempts
	c.attempts = all[:20]
	dir := onDisk(t, c)
	c.attempts = all
	if found := compared(t, c, dir); len(found.Problems) > 0 || !slices.Contains(found.Stale, RunsFile) {
		t.Errorf("%+v", found)
	}
	if err := os.Remove(filepath.Join(dir, RunsFile)); err != nil {
		t.Fatal(err)
	}
	if found := compared(t, c, dir); !slices.Contains(found.Missing, RunsFile) {
		t.Errorf("%+v", found)
	}
	if err := os.WriteFile(filepath.Join(dir, StepsFile), []byte("PAR1"), 0o600); err != nil {
		t.Fatal(err)
	}
	if found := compared(t, c, dir); len(found.Problems) != 1 {
		t.Errorf("of a file that is no table: %+v", found)
	}
}
