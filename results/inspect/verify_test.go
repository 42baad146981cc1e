package inspect

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/results/campaign"
	"mpf/results/record"
)

var run = engine.Run{ID: engine.RunID{1}, Replicate: 1, Block: 1}

// finished is a campaign of one run that has printed something.
func finished(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "out")
	e := engine.Experiment{Name: "test", Seed: 1, Replicates: 1}
	inputs := []campaign.Input{{Path: "note.txt", Data: []byte("kept")}}
	c, err := campaign.Create(dir, record.Plan{Experiment: e, Treatments: 1, Runs: 1}, inputs, campaign.Config{})
	must(t, err)
	log, err := c.Open(t.Context(), engine.Start{Run: run, Attempt: 1, Nonce: "nonce"})
	must(t, err)
	must(t, os.WriteFile(filepath.Join(log.Dir(), "stdout"), []byte("printed"), 0o600))
	must(t, log.Done(t.Context(), engine.Done{Status: engine.OK}))
	must(t, c.Close())
	return dir
}

func verified(t *testing.T, dir string) *Verification {
	t.Helper()
	c, err := campaign.Read(dir)
	must(t, err)
	defer c.Close()
	v, err := Verify(c)
	must(t, err)
	return v
}

func TestVerifyFindsEveryChange(t *testing.T) {
	stdout := filepath.Join("runs", run.ID.String(), "1", "stdout")
	if v := verified(t, finished(t)); len(v.Problems) > 0 || v.Stale || v.Torn != 0 || v.Attempts != 1 || v.Files == 0 {
		t.Errorf("a whole campaign: %+v", v)
	}
	for name, change := range map[string]func(path string) error{
		stdout:                 func(path string) error { return os.WriteFile(path, []byte("PRINTED"), 0o600) },
		"inputs/0001/note.txt": func(path string) error { return os.Remove(path) },
	} {
		dir := finished(t)
		must(t, change(filepath.Join(dir, name)))
		if v := verified(t, dir); len(v.Problems) != 1 || !strings.HasPrefix(v.Problems[0], name) {
			t.Errorf("%s changed: %v", name, v.Problems)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
