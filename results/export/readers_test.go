package export

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/readertest"
)

// TestOtherReadersOpenExports opens Feather in Polars and in Arrow's own reader,
// and Parquet in DuckDB.
func TestOtherReadersOpenExports(t *testing.T) {
	frame := columns.FrameOf([]columns.Column{
		{Name: "variant", Type: columns.String, Role: columns.Variable}, {Name: "n", Type: columns.Int}, {Name: "x", Type: columns.Float}, {Name: "ok", Type: columns.Bool},
	}, []engine.Value{"tcp", int64(1<<53 + 1), 0.1, true}, []engine.Value{"ä\"\n", nil, nil, nil}, []engine.Value{nil, int64(-1), -0.5, false})
	want := `["tcp","9007199254740993","0.1",true]` + "\n" + `["ä\"\n",null,null,null]` + "\n" + `[null,"-1","-0.5",false]` + "\n"
	for format, readers := range map[Format][]string{Feather: {"polars", "arrow-js"}, Parquet: {"duckdb", "arrow-rs"}} {
		file := filepath.Join(t.TempDir(), "rows."+string(format))
		out, err := os.Create(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := Write(out, frame, format, nil); err != nil {
			t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		for _, reader := range readers {
			cmd := readertest.Node(t, "read.mjs", reader, file, "variant", "n", "x", "ok")
			var talk strings.Builder
			cmd.Stderr = &talk
			if have, err := cmd.Output(); err != nil || string(have) != want {
				t.Errorf("%s reads from %s: %s%s", reader, file, have, talk.String())
			}
		}
	}
}

// TestMLflowStoreIsReadByItsLayout reads a store by the rules of MLflow's own, with
// a parser of YAML that is not ours. A run ID of digits alone stays a text.
func TestMLflowStoreIsReadByItsLayout(t *testing.T) {
	dir, digits := t.TempDir(), "01234567890123456789012345678901"
	m := store()
	m.Runs = columns.FrameOf(m.Runs.Columns, rowOf(m.Runs, 0, digits), rowOf(m.Runs, 0, oneRun))
	m.Experiment = "iperf: \"quoted\" #1"
	if err := MLflow(dir, m); err != nil {
		t.Fatal(err)
	}
	cmd := readertest.Node(t, "mlflow.mjs", filepath.Join(dir, "mlruns"))
	var talk strings.Builder
	cmd.Stderr = &talk
	text, err := cmd.Output()
	if err != nil {
		t.Fatal(talk.String())
	}
	var found []struct {
		Name string
		Runs []struct {
			ID      string
			Status  int
			Metrics map[string][]struct {
				Value string
				Step  int
			}
			Params, Tags map[string]string
			Artifacts    []string
		}
	}
	if err := json.Unmarshal(text, &found); err != nil {
		t.Fatal(err)
	}
	if len(found) != 1 || found[0].Name != m.Experiment || len(found[0].Runs) != 2 || found[0].Runs[0].ID != digits {
		t.Fatalf("%s", text)
	}
	for _, run := range found[0].Runs {
		if run.Status != 3 || run.Params["variant"] != "tcp" || run.Tags["note"] != "fine" || run.Metrics["goodput"][0].Value != "1e+09" {
			t.Errorf("%+v", run)
		}
	}
	whole := found[0].Runs[1]
	if hours := whole.Metrics["node_cpu_hours"]; len(hours) != 2 || hours[1].Value != "0.2" || hours[1].Step != 1 {
		t.Errorf("node_cpu_hours: %+v", hours)
	}
	if got := strings.Join(whole.Artifacts, " "); got != "out/trace.txt perf_reports.json stdout" {
		t.Errorf("artifacts: %s", got)
	}
}

// rowOf is a row of a frame under another run ID.
func rowOf(f columns.Frame, row int, id string) []engine.Value {
	cells := make([]engine.Value, len(f.Columns))
	for i, v := range f.Vectors {
		if cells[i] = v.At(row); f.Columns[i].Name == "run_id" {
			cells[i] = id
		}
	}
	return cells
}
