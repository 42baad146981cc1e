package tables

import (
	"bytes"
	"context"
	"encoding/json"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/results/columns"
)

// installed returns a folder with the readers in it. They come from npm once
// and stay in the user's cache.
func installed(t *testing.T) string {
	t.Helper()
	enginetest.Need(t, "node", "npm")
	wanted, err := os.ReadFile("testdata/readers/package.json")
	if err != nil {
		t.Fatal(err)
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		enginetest.Unmet(t, "no cache folder: %v", err)
	}
	dir := filepath.Join(cache, "mpf-test-readers")
	if have, err := os.ReadFile(filepath.Join(dir, "installed.json")); err == nil && bytes.Equal(have, wanted) {
		return dir
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "package.json"), wanted, 0o644); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	npm := exec.CommandContext(ctx, "npm", "install", "--no-package-lock", "--no-audit", "--no-fund", "--ignore-scripts", "--prefix", dir)
	if out, err := npm.CombinedOutput(); err != nil {
		enginetest.Unmet(t, "npm cannot install the readers: %v\n%s", err, out)
	}
	if err := os.WriteFile(filepath.Join(dir, "installed.json"), wanted, 0o644); err != nil {
		t.Fatal(err)
	}
	return dir
}

// TestOtherReadersSeeTheSameValues opens the tables in DuckDB, hyparquet and
// Polars and compares every value.
func TestOtherReadersSeeTheSameValues(t *testing.T) {
	dir := installed(t)
	script, err := os.ReadFile("testdata/readers/read.mjs")
	if err != nil {
		t.Fatal(err)
	}
	program := filepath.Join(dir, "read.mjs")
	if err := os.WriteFile(program, script, 0o644); err != nil {
		t.Fatal(err)
	}
	tree, c := memory(t), newCampaign(30)
	sampled(t, tree, c, 3, time.Second)
	c.attempts[4].Done.Results = append(c.attempts[4].Done.Results,
		engine.NamedValue{Name: "text", Value: "ä\"\n"}, engine.NamedValue{Name: "empty", Value: ""}, engine.NamedValue{Name: "list", Value: []engine.Value{int64(1), 2.5}},
		engine.NamedValue{Name: "large", Value: int64(1<<53 + 1)}, engine.NamedValue{Name: "flag", Value: true}, engine.NamedValue{Name: "infinite", Value: math.Inf(1)})
	if _, err := Publish(t.Context(), c, tree, Options{}); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{RunsFile, StepsFile, UsageFile, SamplesFile} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, published(t, tree, name), 0o600); err != nil {
			t.Fatal(err)
		}
		want := load(t, tree, name)
		for _, reader := range []string{"duckdb", "hyparquet", "polars"} {
			args := []string{program, reader, file}
			for _, c := range want.Columns {
				args = append(args, c.Name)
			}
			out, err := exec.CommandContext(t.Context(), "node", args...).Output()
			if err != nil {
				t.Errorf("%s cannot read %s: %v", reader, name, described(err))
				continue
			}
			compareRows(t, reader+" "+name, out, want)
		}
	}
}

func described(err error) string {
	if exit, ok := err.(*exec.ExitError); ok {
		return string(exit.Stderr)
	}
	return err.Error()
}

func compareRows(t *testing.T, what string, out []byte, want columns.Frame) {
	t.Helper()
	lines := bytes.Split(bytes.TrimSpace(out), []byte("\n"))
	if want.Len() == 0 {
		lines = nil
	}
	if len(lines) != want.Len() {
		t.Errorf("%s: %d rows, want %d", what, len(lines), want.Len())
		return
	}
	for row, line := range lines {
		var cells []any
		if err := json.Unmarshal(line, &cells); err != nil {
			t.Fatal(err)
		}
		for i, have := range cells {
			if v := want.Vectors[i]; !agrees(have, v, row) {
				t.Errorf("%s: row %d: %s is %v, want %v", what, row, want.Columns[i].Name, have, v.At(row))
				return
			}
		}
	}
}

// agrees compares what read.mjs printed with a value.
func agrees(have any, v *columns.Vector, row int) bool {
	text, _ := have.(string)
	switch v.Kind(row) {
	case columns.KindNull:
		return have == nil
	case columns.KindBool:
		return have == (v.Word(row) != 0)
	case columns.KindInt:
		return text == strconv.FormatInt(int64(v.Word(row)), 10)
	case columns.KindFloat:
		if text == "Infinity" {
			text = "Inf"
		}
		x, err := strconv.ParseFloat(text, 64)
		return err == nil && x == v.Float(row)
	case columns.KindTime: // some readers know milliseconds only
		us, err := strconv.ParseInt(text, 10, 64)
		return err == nil && us/1000 == int64(v.Word(row))/1000
	}
	return text == v.Text(row)
}
