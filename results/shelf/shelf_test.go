package shelf

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"mpf/engine"
	"mpf/results/campaign"
	"mpf/results/record"
)

func TestFindNamesTheNewestCampaign(t *testing.T) {
	base := t.TempDir()
	if dir, _, err := Find(base, "test"); dir != "" || err != nil {
		t.Errorf("found %q, %v", dir, err)
	}
	plan := record.Plan{Experiment: engine.Experiment{Name: "test", Seed: 1, Replicates: 1}, Treatments: 1, Runs: 1}
	begun := time.Date(2026, 11, 20, 18, 3, 11, 0, time.UTC)
	for _, complete := range []bool{true, false} {
		dir, err := NewDir(base, "test", begun)
		must(t, err)
		c, err := campaign.Create(dir, plan, nil, campaign.Config{})
		must(t, err)
		must(t, PointLatest(dir))
		if complete {
			c.Complete()
		}
		must(t, c.Close())
		found, unfinished, err := Find(base, "test")
		must(t, err)
		if found != dir || unfinished == complete {
			t.Errorf("found %s unfinished %v, want %s", found, unfinished, dir)
		}
		if to, err := os.Readlink(filepath.Join(base, "test", latestName)); err != nil || to != filepath.Base(dir) {
			t.Errorf("latest leads to %q, %v", to, err)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
