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
	"mpf/results/durable"
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
	m := manifestOf(t, dir)
	m.Files = slices.DeleteFunc(m.Files, func(e manifest.Entry) bool { return !strings.HasPrefix(e.Path, "runs/") })
	if !slices.Equal(m.Files, want) || len(want) < len(runs)+1 || path.Base(want[len(want)-1].Path) != spillName {
		t.Errorf("the manifest lists %v\nwant %v", m.Files, want)
	}
}

// What only an index knows of the journal is what lies there.
func TestManifestOfAnIndexedJournal(t *testing.T) {
	dir, plan := t.TempDir(), testPlan(300, 1)
	c, err := Create(dir, plan, nil, testConfig())
	must(t, err)
	for i, run := range runsOf(plan) {
		if i == 0 {
			must(t, execute(c, run)) // it leaves files
			continue
		}
		log, err := c.Open(ctx, startOf(run, 1))
		must(t, err)
		must(t, log.Done(ctx, doneOf(run)))
		if i == 150 {
			must(t, c.Close())
			c, err = Open(dir, testConfig())
			must(t, err)
		}
	}
	must(t, c.Close())
	c, err = Read(dir)
	must(t, err)
	defer c.Close()
	left := 0
	for _, e := range manifestOf(t, dir).Files {
		file, err := durable.Hash(c.tree, e.Path)
		must(t, err)
		if e.Size != file.Size || e.SHA256 != file.SHA256 {
			t.Errorf("%s is listed as %+v, it is %+v", e.Path, e, file)
		}
		if strings.HasPrefix(e.Path, "runs/") {
			left++
		}
	}
	if len(c.journal.Sealed()) == 0 || left == 0 {
		t.Errorf("%d segments are known by their hash, %d files of runs are listed", len(c.journal.Sealed()), left)
	}
}

func manifestOf(t *testing.T, dir string) (m manifest.Manifest) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, manifest.Name))
	must(t, err)
	must(t, json.Unmarshal(text, &m))
	return m
}
