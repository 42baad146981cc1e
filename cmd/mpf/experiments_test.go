package main

import (
	"bytes"
	"path/filepath"
	"strings"
	"testing"

	"mpf/engine/enginetest"
)

// experiments returns the files that people copy from, by name.
func experiments(t *testing.T) map[string]string {
	t.Helper()
	found, err := filepath.Glob("../../experiments/*.star")
	if err != nil || len(found) == 0 {
		t.Fatalf("%d experiments: %v", len(found), err)
	}
	files := map[string]string{}
	for _, file := range found {
		path, err := filepath.Abs(file)
		if err != nil {
			t.Fatal(err)
		}
		files[strings.TrimSuffix(filepath.Base(file), ".star")] = path
	}
	return files
}

// The plans of the experiments are golden: the same counts, run IDs and order
// on every machine.
func TestExperimentsArePlannedAsEver(t *testing.T) {
	for name, file := range experiments(t) {
		t.Run(name, func(t *testing.T) {
			var said bytes.Buffer
			cmd := mpf(t.Context(), t.TempDir(), "plan", "--first", "8", file)
			cmd.Stderr = &said
			got, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, said.Bytes())
			}
			enginetest.Golden(t, filepath.Join("testdata", "plans", name+".txt"), string(got), *update)
		})
	}
}

// Each experiment runs on one machine without preparation, the long ones in
// part.
func TestExperimentsRun(t *testing.T) {
	needs := map[string][]string{
		"hierarchy": {"openssl"},
		"iperf":     {"iperf3"},
		"redis":     {"redis-server", "redis-benchmark"},
		"adaptive":  {"bash"},
	}
	limits := map[string]string{"hierarchy": "2", "iperf": "3"}
	for name, file := range experiments(t) {
		t.Run(name, func(t *testing.T) {
			enginetest.Need(t, needs[name]...)
			limit := limits[name]
			if limit == "" {
				limit = "8"
			}
			text, err := mpf(t.Context(), t.TempDir(), "run", "--shared-host", "--limit", limit, file).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, text)
			}
			if !strings.Contains(string(text), "rows: "+limit+" ok") && !strings.Contains(string(text), " skipped in ") {
				t.Errorf("not %s rows ok:\n%s", limit, text)
			}
		})
	}
}
