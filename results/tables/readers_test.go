package tables

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/fsys"
	"mpf/results/fsys/fsystest"
	"mpf/results/readertest"
)

// TestOtherReadersSeeTheSameValues opens the tables in DuckDB, hyparquet, Polars
// and Arrow's own reader in Rust and compares every value.
func TestOtherReadersSeeTheSameValues(t *testing.T) {
	tree := everyKind(t)
	for _, name := range []string{RunsFile, StepsFile, UsageFile, SamplesFile} {
		file := filepath.Join(t.TempDir(), name)
		if err := os.WriteFile(file, published(t, tree, name), 0o600); err != nil {
			t.Fatal(err)
		}
		want := load(t, tree, name)
		for _, reader := range []string{"duckdb", "hyparquet", "polars", "arrow-rs"} {
			args := []string{reader, file}
			for _, c := range want.Columns {
				args = append(args, c.Name)
			}
			out, err := readertest.Node(t, "read.mjs", args...).Output()
			if err != nil {
				t.Errorf("%s cannot read %s: %v", reader, name, described(err))
				continue
			}
			compareRows(t, reader+" "+name, out, want)
		}
	}
}

// everyKind publishes tables with values of every kind.
func everyKind(t *testing.T) fsys.FS {
	t.Helper()
	tree, c := memory(t), newCampaign(30)
	sampled(t, tree, c, 3, time.Second)
	c.attempts[4].Done.Results = append(c.attempts[4].Done.Results,
		engine.NamedValue{Name: "text", Value: "ä\"\n"}, engine.NamedValue{Name: "empty", Value: ""}, engine.NamedValue{Name: "list", Value: []engine.Value{int64(1), 2.5}},
		engine.NamedValue{Name: "large", Value: int64(1<<53 + 1)}, engine.NamedValue{Name: "flag", Value: true}, engine.NamedValue{Name: "infinite", Value: math.Inf(1)})
	if _, err := Publish(t.Context(), c, tree, Options{}); err != nil {
		t.Fatal(err)
	}
	return tree
}

// TestPandasTakesTheIndexAndTheTypes holds the "pandas" key against what pandas
// documents and makes the frame by its rules.
func TestPandasTakesTheIndexAndTheTypes(t *testing.T) {
	tree := everyKind(t)
	for _, name := range []string{RunsFile, StepsFile, UsageFile, SamplesFile} {
		dir := t.TempDir()
		file, dump := filepath.Join(dir, name), filepath.Join(dir, "dump.json")
		if err := os.WriteFile(file, published(t, tree, name), 0o600); err != nil {
			t.Fatal(err)
		}
		text, err := readertest.Node(t, "read.mjs", "dump", file).Output()
		if err != nil {
			t.Fatalf("%s: %s", name, described(err))
		}
		if err := os.WriteFile(dump, text, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := readertest.Python(t, "pandas_check.py", "pandas", dump).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		} else {
			t.Logf("%s: %s", name, out)
		}
	}
}

// TestReadersFollowATableThatIsReplaced lets DuckDB and Polars look at a table as
// often as they can while it is replaced: each look that does is at a whole one. A
// look may take longer than a table stays on a busy machine, so readers are given
// time until they have seen some.
func TestReadersFollowATableThatIsReplaced(t *testing.T) {
	tree, dir := fsystest.OnDisk(t)
	c := newCampaign(200)
	p := NewPublisher(tree, Options{})
	publishFirst := func(n int) {
		if _, err := p.Publish(t.Context(), &campaign{plans: c.plans, attempts: c.attempts[:n]}, false); err != nil {
			t.Fatal(err)
		}
	}
	publishFirst(1)
	followers := map[string]*follower{}
	for _, reader := range []string{"duckdb", "polars"} {
		followers[reader] = follow(t, reader, filepath.Join(dir, RunsFile))
	}
	replaced := 1
	for begun := time.Now(); time.Since(begun) < followFor || time.Since(begun) < 6*followFor && fewest(t, followers) < fewLooks; replaced++ {
		publishFirst(min(1+replaced, len(c.attempts)))
	}
	for reader, f := range followers {
		looks, between := f.end(t)
		t.Logf("%s: %d looks at a table that was replaced %d times, %d more between two tables", reader, looks, replaced, between)
		if looks < fewLooks {
			t.Errorf("%s: only %d looks", reader, looks)
		}
	}
}

const (
	followFor = 10 * time.Second // is how long readers look
	fewLooks  = 3                // are enough for a test
)

// A follower is a reader that looks at a table again and again.
type follower struct {
	reader string
	cmd    *exec.Cmd
	stdin  io.WriteCloser
	out    *os.File
	talk   bytes.Buffer
}

// follow starts a reader and returns once it has looked.
func follow(t *testing.T, reader, file string) *follower {
	t.Helper()
	f := &follower{reader: reader, cmd: readertest.Node(t, "follow.mjs", reader, file)}
	var err error
	if f.stdin, err = f.cmd.StdinPipe(); err != nil {
		t.Fatal(err)
	}
	if f.out, err = os.Create(filepath.Join(t.TempDir(), reader)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { f.out.Close() })
	f.cmd.Stdout, f.cmd.Stderr = f.out, &f.talk
	if err := f.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return f
}

// end ends a follower and returns how often it has looked, and how often it met
// two tables. What it saw never became less, and each run was there once.
func (f *follower) end(t *testing.T) (looks, between int) {
	t.Helper()
	f.stdin.Close()
	if err := f.cmd.Wait(); err != nil {
		t.Errorf("%s: %v\n%s", f.reader, err, f.talk.Bytes())
	}
	last := 0
	sights, between := f.sights(t)
	for _, line := range sights {
		var rows, runs, ok int
		if _, err := fmt.Sscanf(line, f.reader+": %d rows, %d runs, %d ok", &rows, &runs, &ok); err != nil || rows != runs || rows < last {
			t.Fatalf("after %d rows: %q, %v", last, line, err)
		}
		last = rows
	}
	return len(sights), between
}

// sights returns what was seen so far, and how often nothing was because the look
// met two tables.
func (f *follower) sights(t *testing.T) (sights []string, between int) {
	t.Helper()
	text, err := os.ReadFile(f.out.Name())
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		switch {
		case strings.HasPrefix(line, f.reader+": between two tables"):
			between++
		case strings.HasSuffix(line, "\n"):
			sights = append(sights, line)
		}
	}
	return sights, between
}

// fewest returns how often the reader that looked least has seen a table.
func fewest(t *testing.T, followers map[string]*follower) int {
	least := math.MaxInt
	for _, f := range followers {
		sights, _ := f.sights(t)
		least = min(least, len(sights))
	}
	return least
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
