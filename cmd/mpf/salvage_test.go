package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mpf/engine"
	"mpf/results/campaign"
	"mpf/results/record"
)

// openAttempt begins a campaign whose only attempt has no end, and returns its
// directory and the sample segment of that attempt.
func openAttempt(t *testing.T, readings int) (dir, segment string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "out")
	e := engine.Experiment{Name: "long", Seed: 1, Replicates: 1, Roles: []engine.Role{{Name: "client"}}}
	c, err := campaign.Create(dir, record.Plan{Experiment: e, Treatments: 1, Runs: 1}, nil, campaign.Config{Segments: newSegment})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	run := engine.Run{ID: engine.RunID{1}, Replicate: 1, Block: 1}
	log, err := c.Open(t.Context(), engine.Start{
		Run: run, Attempt: 1, Nonce: "nonce", Wall: time.Unix(0, 0), Hosts: []engine.RoleHost{{Role: "client", Host: "h1"}},
	})
	if err != nil {
		t.Fatal(err)
	}
	segment = filepath.Join(dir, "tmp", "nonce", "samples-h1.arrows")
	sink := log.Readings("h1")
	for i := 0; sizeOf(segment) < int64(readings)*100; i++ {
		sink.Put(engine.Reading{Wall: time.Unix(int64(i), 0), Mono: time.Duration(i) * time.Second, CPUs: 2, Extra: map[string]float64{"gpu": 0.5}})
	}
	return dir, segment
}

func sizeOf(name string) int64 {
	info, err := os.Stat(name)
	if err != nil {
		return 0
	}
	return info.Size()
}

func copyOf(t *testing.T, dir string) string {
	t.Helper()
	to := filepath.Join(t.TempDir(), "copy")
	if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
		t.Fatal(err)
	}
	return to
}

// exportPartial returns the rows that mpf export --partial writes, and its talk.
func exportPartial(t *testing.T, dir, columns string) (rows []string, talk string) {
	t.Helper()
	cmd := mpf(t.Context(), t.TempDir(), "export", "--partial", "--to", "csv", "--columns", columns, dir)
	var said strings.Builder
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, said.String())
	}
	return strings.Split(strings.TrimSpace(string(out)), "\n")[1:], said.String()
}

// The samples of a run under way can be had, and the same once its engine has
// died and it was abandoned.
func TestSamplesWithoutAnEndAreExported(t *testing.T) {
	dir, _ := openAttempt(t, 1000)
	dead := copyOf(t, dir)
	const columns = "run_id,role,host,mono,gpu,partial"
	rows, talk := exportPartial(t, dead, columns)
	if len(rows) < 64 || !strings.Contains(talk, "1 file of samples without an end") {
		t.Fatalf("%d rows\n%s", len(rows), talk)
	}
	if want := "01000000000000000000000000000000,client,h1,0.0,0.5,true"; rows[0] != want {
		t.Errorf("the first row is %q, want %q", rows[0], want)
	}
	if live, _ := exportPartial(t, dir, columns); len(live) < len(rows) {
		t.Errorf("%d rows of the attempt while it is open, %d before", len(live), len(rows))
	}
	abandon(t, dead)
	again, _ := exportPartial(t, dead, columns)
	if strings.Join(again, "\n") != strings.Join(rows, "\n") {
		t.Errorf("%d rows once the attempt was abandoned, %d before", len(again), len(rows))
	}
}

func abandon(t *testing.T, dir string) {
	t.Helper()
	c, err := campaign.Open(dir, campaign.Config{})
	if err != nil {
		t.Fatal(err)
	}
	for _, s := range c.Unfinished() {
		if err := c.Abandon(context.Background(), s); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
}

// A segment that asks for all memory there is costs the process that reads it,
// not the export.
func TestDamagedSamplesWithoutAnEndDoNoHarm(t *testing.T) {
	dir, segment := openAttempt(t, 1000)
	name, err := filepath.Rel(dir, segment)
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(segment)
	if err != nil {
		t.Fatal(err)
	}
	for what, spoil := range map[string]func([]byte) []byte{
		"cut":   func(b []byte) []byte { return b[:len(b)-1000] },
		"short": func(b []byte) []byte { return b[:3] },
		"empty": func(b []byte) []byte { return nil },
		"greed": func(b []byte) []byte { copy(b[4:], "\xf0\xff\xff\x7f"); return b },
	} {
		dead := copyOf(t, dir)
		if err := os.WriteFile(filepath.Join(dead, name), spoil(append([]byte(nil), text...)), 0o600); err != nil {
			t.Fatal(err)
		}
		rows, talk := exportPartial(t, dead, "run_id,partial")
		if (what == "cut") != (len(rows) > 0) {
			t.Errorf("%s: %d rows\n%s", what, len(rows), talk)
		}
		if what == "greed" && !strings.Contains(talk, "samples-h1.arrows: read in part: exit status") {
			t.Errorf("%s: %s", what, talk)
		}
	}
}
