package tables

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"

	"mpf/engine"
	"mpf/results/fsys"
	"mpf/results/record"
)

// TestARunsTableAloneRestoresItsRecord publishes, restores, publishes what was
// restored, and compares the bytes.
func TestARunsTableAloneRestoresItsRecord(t *testing.T) {
	c := newCampaign(3)
	c.attempts[4].Done = engine.Done{
		Status: engine.Failed, Cause: engine.CauseExit, Message: "iperf3: exit status 1", Step: "measure", Host: "node2",
		Trace: []engine.Pos{{File: "iperf.star", Line: 16, Col: 18}}, Seconds: 0.25, Warnings: []engine.Warning{{Code: "clock-offset", Text: "large"}},
	}
	c.attempts[6].Done.Results = append(c.attempts[6].Done.Results,
		engine.NamedValue{Name: "note", Value: "ä"}, engine.NamedValue{Name: "list", Value: []engine.Value{int64(1), 1.5, nil}})
	c.attempts[5].Done.Deployed = []engine.Deployed{
		{Role: "server", Source: "src at home: x", Revision: "0123abcd", Dirty: true, SHA256: "ff00"}, {Role: "client", Dir: "/packages/only"},
	}
	tree := withPlan(t)
	if _, err := Publish(context.Background(), c, tree, Options{}); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), RunsFile)
	if err := os.WriteFile(path, published(t, tree, RunsFile), 0o600); err != nil {
		t.Fatal(err)
	}
	restored, err := Restore(path, func([]byte) (record.Plan, error) { return c.plans[0], nil })
	if err != nil {
		t.Fatal(err)
	}
	again := withPlan(t)
	if _, err := Publish(context.Background(), restored, again, Options{}); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(published(t, tree, RunsFile), published(t, again, RunsFile)) {
		t.Error("the table of the restored record differs")
	}
	for i, a := range restored.attempts {
		want := c.attempts[i]
		if a.Start.Run.Treatment.Format(iperf().Variables) != want.Start.Run.Treatment.Format(iperf().Variables) || a.Start.Run.ID != want.Start.Run.ID {
			t.Errorf("attempt %d is %+v", i, a)
		}
	}
}

func withPlan(t *testing.T) fsys.FS {
	t.Helper()
	tree := memory(t)
	if err := fsys.MakeDir(tree, "plan"); err != nil {
		t.Fatal(err)
	}
	if err := fsys.WriteFile(tree, "plan/0001.json", []byte(`{}`)); err != nil {
		t.Fatal(err)
	}
	return tree
}
