package campaign

import (
	"encoding/json"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/results/manifest"
)

// The manifest names the files of every attempt in the order in which they
// ended, those too that a file of their own names.
func TestManifestListsWhatAttemptsLeft(t *testing.T) {
	dir, plan := t.TempDir(), testPlan(3, 2)
	c, err := Create(dir, plan, nil, testConfig())
	must(t, err)
	runs := runsOf(plan)
	for _, run := range runs[1:] {
		must(t, execute(c, run))
	}
	log, err := c.Open(ctx, startOf(runs[0], 1))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(log.Dir(), "stdout"), []byte("x"), 0o600))
	must(t, log.Done(ctx, engine.Done{Status: engine.Failed, Message: strings.Repeat("long ", 100_000)}))
	must(t, c.Close())
	c, err = Read(dir)
	must(t, err)
	defer c.Close()
	var want []manifest.Entry
	for a, err := range c.Attempts() {
		must(t, err)
		for _, f := range a.Files {
			f.Path = path.Join(c.AttemptDir(a.Start.Run.ID, a.Start.Attempt), f.Path)
			want = append(want, manifest.Entry(f))
		}
	}
	text, err := os.ReadFile(filepath.Join(dir, manifest.Name))
	must(t, err)
	var m manifest.Manifest
	must(t, json.Unmarshal(text, &m))
	m.Files = slices.DeleteFunc(m.Files, func(e manifest.Entry) bool { return !strings.HasPrefix(e.Path, "runs/") })
	if !slices.Equal(m.Files, want) || len(want) < len(runs)+1 || path.Base(want[len(want)-1].Path) != spillName {
		t.Errorf("the manifest lists %v\nwant %v", m.Files, want)
	}
}
