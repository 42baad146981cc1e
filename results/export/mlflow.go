package export

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/usage"
)

// MLRuns is what MLflow is to see.
type MLRuns struct {
	Experiment string
	Runs       columns.Frame
	Usage      columns.Frame // or nothing
	Samples    columns.Frame // or nothing: no performance reports then

	// Files returns the files of an attempt, or nil.
	Files func(run string, attempt int64) fs.FS
}

// MLflow writes a file store below dir/mlruns: a run for each row. What is there
// of the same runs is overwritten.
func MLflow(dir string, m MLRuns) error {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(absolute, "mlruns"), 0o777); err != nil {
		return err
	}
	root, err := os.OpenRoot(filepath.Join(absolute, "mlruns"))
	if err != nil {
		return err
	}
	w := &mlWriter{MLRuns: m, root: root, uri: "file://" + filepath.ToSlash(filepath.Join(absolute, "mlruns")), id: mlExperiment(m.Experiment)}
	return errors.Join(w.write(), root.Close())
}

// mlExperiment derives the number of an experiment from its name.
func mlExperiment(name string) string {
	sum := sha256.Sum256([]byte(name))
	return strconv.FormatUint(binary.BigEndian.Uint64(sum[:])%1e18, 10)
}

// An mlWriter writes a file store.
type mlWriter struct {
	MLRuns
	root  *os.Root
	uri   string
	id    string
	first time.Time
	last  time.Time

	usage   map[string][]int // rows, by run and attempt
	samples map[string][]int
}

func (w *mlWriter) write() error {
	var err error
	if w.usage, err = rowsOf(w.Usage); err != nil {
		return err
	}
	if w.samples, err = rowsOf(w.Samples); err != nil {
		return err
	}
	for row := range w.Runs.Len() {
		if err := w.run(row); err != nil {
			return err
		}
	}
	return w.meta(path.Join(w.id, "meta.yaml"), [][2]string{
		{"artifact_location", quoteYAML(w.uri + "/" + w.id)},
		{"creation_time", millis(w.first)},
		{"experiment_id", quoteYAML(w.id)},
		{"last_update_time", millis(w.last)},
		{"lifecycle_stage", "active"},
		{"name", quoteYAML(w.Experiment)},
	})
}

// rowsOf lists the rows of each run and attempt.
func rowsOf(f columns.Frame) (map[string][]int, error) {
	rows := map[string][]int{}
	if f.Len() == 0 {
		return rows, nil
	}
	run, attempt := f.Find("run_id"), f.Find("attempt")
	if run < 0 || attempt < 0 {
		return nil, errors.New("the table has no run_id and attempt")
	}
	for row := range f.Len() {
		key := attemptKey(f.Vectors[run].At(row), f.Vectors[attempt].At(row))
		rows[key] = append(rows[key], row)
	}
	return rows, nil
}

func attemptKey(run, attempt engine.Value) string { return fmt.Sprint(run, "/", attempt) }

// mlRun is the files of one run, by folder and name.
type mlRun struct {
	metrics map[string]string
	params  map[string]string
	tags    map[string]string
}

func (w *mlWriter) run(row int) error {
	value := func(name string) engine.Value {
		if i := w.Runs.Find(name); i >= 0 {
			return w.Runs.Vectors[i].At(row)
		}
		return nil
	}
	id, ok := value("run_id").(string)
	if _, err := engine.ParseRunID(id); !ok || err != nil {
		return fmt.Errorf("row %d: its run_id %q is none", row+1, id)
	}
	attempt, _ := value("attempt").(int64)
	start, _ := value("started").(time.Time)
	seconds, _ := value("seconds").(float64)
	end := start.Add(time.Duration(seconds * float64(time.Second)))
	if w.first.IsZero() || start.Before(w.first) {
		w.first = start
	}
	if end.After(w.last) {
		w.last = end
	}
	files := w.files(row, millis(end))
	dir := path.Join(w.id, id)
	for folder, entries := range map[string]map[string]string{"metrics": files.metrics, "params": files.params, "tags": files.tags} {
		if err := w.folder(path.Join(dir, folder), entries); err != nil {
			return fmt.Errorf("run %s: %w", id, err)
		}
	}
	if err := w.artifacts(path.Join(dir, "artifacts"), id, attempt); err != nil {
		return fmt.Errorf("run %s: %w", id, err)
	}
	return w.meta(path.Join(dir, "meta.yaml"), [][2]string{
		{"artifact_uri", quoteYAML(w.uri + "/" + dir + "/artifacts")},
		{"end_time", millis(end)},
		{"entry_point_name", "''"},
		{"experiment_id", quoteYAML(w.id)},
		{"lifecycle_stage", "active"},
		{"run_id", quoteYAML(id)}, // of digits alone it would be a number
		{"run_name", quoteYAML(w.Experiment + "-" + id[:8])},
		{"run_uuid", quoteYAML(id)},
		{"source_name", "''"},
		{"source_type", "4"},
		{"source_version", "''"},
		{"start_time", millis(start)},
		{"status", mlStatus(value("status"))},
		{"tags", "[]"},
		{"user_id", "mpf"},
	})
}

// mlStatus is 3 for finished, 4 for failed and 5 for killed.
func mlStatus(status engine.Value) string {
	switch text, _ := status.(string); engine.Status(text) {
	case engine.OK, engine.Skipped:
		return "3"
	case engine.Interrupted:
		return "5"
	}
	return "4"
}

// files lists the metrics, parameters and tags of a row.
func (w *mlWriter) files(row int, at string) mlRun {
	r := mlRun{map[string]string{}, map[string]string{}, map[string]string{}}
	for i, c := range w.Runs.Columns {
		v := w.Runs.Vectors[i].At(row)
		if v == nil {
			continue
		}
		switch number, isNumber := mlNumber(v); {
		case c.Role == columns.Variable:
			r.params[c.ScriptName()] = engine.FormatValue(v)
		case c.Role == columns.Result && isNumber:
			r.metrics[c.ScriptName()] = at + " " + number + " 0\n"
		case c.Role == columns.Result:
			r.tags[c.ScriptName()] = engine.FormatValue(v)
		case slices.Contains([]string{"status", "cause", "message", "replicate", "block", "attempts", "group"}, c.Name):
			r.tags["mpf."+c.Name] = engine.FormatValue(v)
		}
	}
	run, attempt := w.Runs.Find("run_id"), w.Runs.Find("attempt")
	if run < 0 || attempt < 0 {
		return r
	}
	for _, u := range w.usage[attemptKey(w.Runs.Vectors[run].At(row), w.Runs.Vectors[attempt].At(row))] {
		w.usageOf(u, at, r)
	}
	return r
}

// usageOf adds the metrics of one host, whose index is the step.
func (w *mlWriter) usageOf(row int, at string, r mlRun) {
	node, _ := w.Usage.Vectors[w.Usage.Find("node")].At(row).(int64)
	step := strconv.FormatInt(node, 10)
	r.tags["mpf.node."+step] = engine.FormatValue(w.Usage.Vectors[w.Usage.Find("host")].At(row))
	for _, d := range usage.Descriptions() {
		if i := w.Usage.Find(d.Name); i >= 0 {
			if number, ok := mlNumber(w.Usage.Vectors[i].At(row)); ok {
				r.metrics[d.Name] += at + " " + number + " " + step + "\n"
			}
		}
	}
}

// mlNumber prints a number as the shortest text that reads back equal.
func mlNumber(v engine.Value) (string, bool) {
	switch v := v.(type) {
	case int64:
		return strconv.FormatInt(v, 10), true
	case float64:
		return strconv.FormatFloat(v, 'g', -1, 64), true
	}
	return "", false
}
