package export

import (
	"bytes"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"time"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/tables"
	"mpf/results/usage"
)

const oneRun = "0123456789abcdef0123456789abcdef"

// store is one run on two hosts with samples of the first.
func store() MLRuns {
	start := time.UnixMilli(1_795_000_000_000).UTC()
	m := MLRuns{Experiment: "iperf", Runs: columns.FrameOf([]columns.Column{
		{Name: "run_id"}, {Name: "attempt"}, {Name: "status"}, {Name: "started"}, {Name: "seconds"},
		{Name: "variant", Role: columns.Variable}, {Name: "goodput", Role: columns.Result}, {Name: "p99[ms]", Role: columns.Result}, {Name: "note", Role: columns.Result},
	}, []engine.Value{oneRun, int64(1), "ok", start, 2.5, "tcp", 1e9, nil, "fine"})}
	cols := tables.UsageColumns()
	var rows [][]engine.Value
	for node := range 2 {
		row := make([]engine.Value, len(cols))
		for i, c := range cols {
			switch {
			case c.Name == "run_id":
				row[i] = oneRun
			case c.Name == "attempt":
				row[i] = int64(1)
			case c.Name == "node":
				row[i] = int64(node)
			case c.Name == "host":
				row[i] = "node" + string(rune('a'+node))
			case c.Type == columns.Float:
				row[i] = 0.1 * float64(node+1)
			}
		}
		rows = append(rows, row)
	}
	m.Usage = columns.FrameOf(cols, rows...)
	m.Samples = samplesFrame(start)
	m.Files = func(string, int64) fs.FS {
		return fstest.MapFS{"stdout": {Data: []byte("hello")}, "out/trace.txt": {Data: []byte("x")}, "samples-a.arrows": {Data: []byte("binary")}}
	}
	return m
}

func samplesFrame(start time.Time) columns.Frame {
	cols := tables.SampleColumns()
	var rows [][]engine.Value
	for k := range 4 {
		row := make([]engine.Value, len(cols))
		for i, c := range cols {
			switch {
			case c.Name == "run_id":
				row[i] = oneRun
			case c.Name == "attempt":
				row[i] = int64(1)
			case c.Name == "host":
				row[i] = "nodea"
			case c.Name == "cpus":
				row[i] = int64(2)
			case c.Name == "time":
				row[i] = start.Add(time.Duration(k) * time.Second)
			case c.Name == "mono":
				row[i] = float64(k)
			case c.Name == "cpu_mean" && k == 0:
			case c.Type == columns.Float:
				row[i] = float64(10 * k)
			case c.Type == columns.Int:
				row[i] = int64(k) << 20
			}
		}
		rows = append(rows, row)
	}
	return columns.FrameOf(cols, rows...)
}

func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(p string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(p)
		name, relErr := filepath.Rel(dir, p)
		files[name] = string(data)
		if err == nil {
			err = relErr
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return files
}

func TestMLflowStore(t *testing.T) {
	dir := t.TempDir()
	if err := MLflow(dir, store()); err != nil {
		t.Fatal(err)
	}
	files := tree(t, filepath.Join(dir, "mlruns"))
	run := mlExperiment("iperf") + "/" + oneRun + "/"
	metrics := 0
	for name := range files {
		if strings.HasPrefix(name, run+"metrics/") {
			metrics++
		}
	}
	if metrics != 18+1 {
		t.Errorf("%d metrics", metrics)
	}
	for name, want := range map[string]string{
		"metrics/node_cpu_hours": "1795000002500 0.1 0\n1795000002500 0.2 1\n",
		"metrics/goodput":        "1795000002500 1e+09 0\n",
		"params/variant":         "tcp",
		"tags/note":              "fine",
		"tags/mpf.node.1":        "nodeb",
		"artifacts/stdout":       "hello",
	} {
		if files[run+name] != want {
			t.Errorf("%s is %q, want %q", name, files[run+name], want)
		}
	}
	for _, want := range []string{"status: 3\n", "run_uuid: \"" + oneRun + "\"", "start_time: 1795000000000\n", "end_time: 1795000002500\n"} {
		if !strings.Contains(files[run+"meta.yaml"], want) {
			t.Errorf("meta.yaml lacks %q:\n%s", want, files[run+"meta.yaml"])
		}
	}
	if _, ok := files[run+"artifacts/samples-a.arrows"]; ok {
		t.Error("a segment was copied")
	}
	nodes, err := usage.ReadArtifact(bytes.NewReader([]byte(files[run+"artifacts/perf_reports.json"])), usage.ArtifactOptions{CPUs: 2})
	if err != nil || len(nodes) != 2 || len(nodes[0].Samples) != 3 || len(nodes[1].Samples) != 0 {
		t.Fatalf("%+v, %v", nodes, err)
	}
	if m := nodes[0].Metrics(); m[usage.DiskRead] != 3 || math.Abs(m[usage.Utilization]-20) > 1e-9 {
		t.Errorf("reports give %v", m)
	}
	if err := MLflow(dir, store()); err != nil {
		t.Fatal(err)
	}
	for name, text := range tree(t, filepath.Join(dir, "mlruns")) {
		if files[name] != text {
			t.Errorf("%s is not the same when written again", name)
		}
	}
}

func TestMLflowNames(t *testing.T) {
	names, err := MLflowNames([]string{"max_t_(mem_percent)", "p99_latency_of_the_second_client_under_background_load_[ms]"})
	if err != nil || names["max_t_(mem_percent)"] != "max_t_mem_percent" ||
		names["p99_latency_of_the_second_client_under_background_load_[ms]"] != "p99_latency_of_the_second_client_under_ba_ac470f40" {
		t.Errorf("%v, %v", names, err)
	}
	for _, bad := range [][]string{{"../x"}, {"a", "a/b"}, {"x(1)", "x1"}, {"[]"}, {"/a"}, {"a//b"}, {"a/"}, {"."}, {"x/../y"}} {
		if names, err := MLflowNames(bad); err == nil {
			t.Errorf("%q became %v", bad, names)
		}
	}
}

// A host keeps its place among the nodes where the one before it has no samples,
// and its own period and cap.
func TestSeriesAreThoseOfTheNodes(t *testing.T) {
	samples := samplesFrame(time.UnixMilli(1_795_000_000_000))
	rows := []int{0, 1, 2, 3}
	for _, c := range []struct {
		hosts []Watched
		want  []int
	}{
		{nil, []int{3}},
		{[]Watched{{Host: "none"}, {Host: "nodea"}}, []int{0, 3}},
		{[]Watched{{Host: "nodea", Period: 3 * time.Second}}, []int{2}},
	} {
		points, err := SeriesOf(samples, rows, c.hosts)
		if err != nil {
			t.Fatal(err)
		}
		var got []int
		for _, p := range points {
			got = append(got, len(p))
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%+v: %d points, want %d", c.hosts, got, c.want)
		}
	}
	if _, err := SeriesOf(samples, rows, []Watched{{Host: "nodea", Cap: 5}}); err == nil {
		t.Error("a cap of 5 was taken")
	}
}
