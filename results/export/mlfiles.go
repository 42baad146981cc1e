package export

import (
	"cmp"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"maps"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"mpf/engine"
	"mpf/results/usage"
)

func (w *mlWriter) folder(dir string, entries map[string]string) error {
	names, err := MLflowNames(slices.Sorted(maps.Keys(entries)))
	if err != nil {
		return err
	}
	if err := w.root.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	for original, name := range names {
		if err := w.file(path.Join(dir, name), []byte(entries[original])); err != nil {
			return err
		}
	}
	return nil
}

func (w *mlWriter) file(name string, data []byte) error {
	if err := w.root.MkdirAll(path.Dir(name), 0o777); err != nil {
		return err
	}
	return w.root.WriteFile(name, data, 0o666)
}

func (w *mlWriter) meta(name string, fields [][2]string) error {
	var text strings.Builder
	for _, f := range fields {
		text.WriteString(f[0] + ": " + f[1] + "\n")
	}
	return w.file(name, []byte(text.String()))
}

// quoteYAML prints a text as a JSON string, which is YAML as well.
func quoteYAML(text string) string {
	data, err := json.Marshal(text)
	if err != nil {
		return "''"
	}
	return string(data)
}

func millis(t time.Time) string {
	if t.IsZero() {
		return "0"
	}
	return strconv.FormatInt(t.UnixMilli(), 10)
}

// artifacts copies the files of an attempt and writes its performance reports.
func (w *mlWriter) artifacts(dir, run string, attempt int64) error {
	if err := w.root.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	if rows := w.samples[attemptKey(run, attempt)]; len(rows) > 0 {
		if err := w.reports(path.Join(dir, "perf_reports.json"), rows, w.watched(run, attempt)); err != nil {
			return err
		}
	}
	if w.Files == nil {
		return nil
	}
	files := w.Files(run, attempt)
	if files == nil {
		return nil
	}
	return fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || strings.HasSuffix(name, ".arrows") {
			return err
		}
		return w.copy(files, name, path.Join(dir, name))
	})
}

func (w *mlWriter) copy(from fs.FS, name, to string) error {
	in, err := from.Open(name)
	if err != nil {
		return err
	}
	if err := w.root.MkdirAll(path.Dir(to), 0o777); err != nil {
		return errors.Join(err, in.Close())
	}
	out, err := w.root.Create(to)
	if err != nil {
		return errors.Join(err, in.Close())
	}
	_, err = io.Copy(out, in)
	return errors.Join(err, out.Close(), in.Close())
}

// watched lists the hosts of an attempt in the order of their nodes; none without
// the table of usage. One of an earlier mpf does not say how they were watched.
func (w *mlWriter) watched(run string, attempt int64) []Watched {
	var hosts []Watched
	rows := w.usage[attemptKey(run, attempt)]
	slices.SortStableFunc(rows, func(a, b int) int { return cmp.Compare(w.usageInt(a, "node"), w.usageInt(b, "node")) })
	for _, row := range rows {
		name, _ := w.usageCell(row, "host").(string)
		seconds, _ := w.usageCell(row, "period_s").(float64)
		hosts = append(hosts, Watched{name, time.Duration(math.Round(seconds * 1e9)), int(w.usageInt(row, "series_cap"))})
	}
	return hosts
}

func (w *mlWriter) usageCell(row int, column string) engine.Value {
	if i := w.Usage.Find(column); i >= 0 {
		return w.Usage.Vectors[i].At(row)
	}
	return nil
}

func (w *mlWriter) usageInt(row int, column string) int64 {
	n, _ := w.usageCell(row, column).(int64)
	return n
}

// reports writes the series of the hosts of an attempt, in the order of their
// nodes.
func (w *mlWriter) reports(name string, rows []int, hosts []Watched) error {
	points, err := SeriesOf(w.Samples, rows, hosts)
	if err != nil {
		return err
	}
	out, err := w.root.Create(name)
	if err != nil {
		return err
	}
	return errors.Join(usage.WriteArtifact(out, points), out.Close())
}
