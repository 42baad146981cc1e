package tables

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"mpf/engine"
	"mpf/results/columns"
	"mpf/results/fsys"
	"mpf/results/parquet"
	"mpf/results/record"
	"mpf/results/usage"
)

// UsageColumns lists the columns of usage.parquet: a row for each host of every
// attempt. Without samples the metrics are null.
func UsageColumns() []columns.Column {
	list := []columns.Column{
		distinct(fixedColumn("run_id", columns.String, columns.Identity, "", "the run; joins the other tables")),
		fixedColumn("attempt", columns.Int, columns.Identity, "", "attempt of the run, from 1"),
		fixedColumn("role", columns.String, columns.Identity, "", "roles that the host played, joined by commas"),
		fixedColumn("host", columns.String, columns.Identity, "", "the host"),
		fixedColumn("node", columns.Int, columns.Identity, "", "place of the host among those of the attempt, from 0"),
	}
	for _, d := range usage.Descriptions() {
		list = append(list, distinct(fixedColumn(d.Name, columns.Float, columns.Outcome, d.Unit, d.Text)))
	}
	list = append(list, fixedColumn("gpu_count", columns.Int, columns.Outcome, "", "GPUs that were read"))
	for _, d := range usage.GPUDescriptions() {
		list = append(list, distinct(fixedColumn(d.Name, columns.Float, columns.Outcome, d.Unit, d.Text)))
	}
	return append(list,
		fixedColumn("perf", columns.String, columns.Outcome, "", "what perf counted in the window, on all CPUs, as JSON: a number for each event, clocks in ms"),
		fixedColumn("n_cpus", columns.Int, columns.Outcome, "", "CPUs at the first reading"),
		fixedColumn("n_samples", columns.Int, columns.Outcome, "", "samples that the metrics are made of"),
		fixedColumn("period_s", columns.Float, columns.Outcome, "s", "time between two readings as it was asked for; null: none were"),
		fixedColumn("series_cap", columns.Int, columns.Outcome, "", "points that an exported series of the samples has at most; null: none was asked for"),
		distinct(fixedColumn("window_s", columns.Float, columns.Outcome, "s", "time that the samples cover")),
		distinct(fixedColumn("sampler_cpu_s", columns.Float, columns.Outcome, "s", "CPU time of the sampler itself")),
		fixedColumn("sampler_bytes", columns.Int, columns.Outcome, "B", "what the sampler sent to the controller"),
		fixedColumn("missed", columns.Int, columns.Outcome, "", "readings that came too late or not at all"),
		distinct(fixedColumn("clock_offset_s", columns.Float, columns.Outcome, "s", "to be added to the host's clock to get the controller's")),
		distinct(fixedColumn("clock_bound_s", columns.Float, columns.Outcome, "s", "largest error of clock_offset_s")),
		fixedColumn("boot_id", columns.String, columns.Outcome, "", "boot of the host"),
		fixedColumn("warnings", columns.List, columns.Outcome, "", "doubts about the row, as a JSON list of texts"),
	)
}

// A usageTable is the store of usage.parquet. It also notes where the samples
// are and which extra readings they have.
type usageTable struct {
	*store
	segments []segment
	earlier  int64           // up to which sequence the segments are not listed
	count    int             // of all segments
	damaged  []string        // names of those that could not be read
	extras   map[string]bool // names of extra readings
	dropped  bool            // samples were removed after samples.parquet was made of them
	warnings []engine.Warning
}

func newUsageTable(e *parquet.Encoder) *usageTable {
	t := &usageTable{store: newStore(e, rowsOfShard/4, false), extras: map[string]bool{}}
	for _, c := range UsageColumns() {
		t.add(c, fixed, true)
	}
	return t
}

// put adds a row for each host of an attempt.
func (t *usageTable) put(id string, a *record.Attempt, hosts []*measured) error {
	for node, m := range hosts {
		h := &a.Done.Hosts[node]
		t.note(m)
		_, row := t.row(m.segment.at)
		row.text(id)
		row.int(int64(a.Start.Attempt))
		row.text(strings.Join(h.Roles, ","))
		row.text(h.Host)
		row.int(int64(node))
		for _, x := range m.metrics {
			row.maybe(x)
		}
		row.positive(m.gpuCount)
		for _, x := range m.gpus {
			row.maybe(x)
		}
		row.text(m.perf)
		row.positive(m.cpus)
		row.int(int64(m.samples))
		row.asked(m.asked)
		row.float(m.window)
		row.account(m.lost, &h.Ended)
		row.float(h.Clock.Offset.Seconds())
		row.float(h.Clock.Bound.Seconds())
		row.text(h.BootID)
		row.texts(m.warnings)
		if err := t.end(); err != nil {
			return err
		}
	}
	return nil
}

// asked writes how often the host was to be read, and what is kept of that.
func (w *rowWriter) asked(s engine.Sampling) {
	if s.Off {
		w.null()
		w.null()
		return
	}
	w.float(cmp.Or(s.Period, usage.DefaultPeriod).Seconds())
	w.int(int64(cmp.Or(s.Cap, usage.DefaultCap)))
}

// account writes what the sampler said of itself; nothing is known of one that was
// lost, or was not there.
func (w *rowWriter) account(lost bool, c *engine.Closing) {
	if lost {
		w.null()
		w.null()
		w.null()
		return
	}
	w.float(c.SamplerCPU)
	w.int(c.SampleSize)
	w.int(int64(c.Missed))
}

// note keeps what samples.parquet will be made of, and what is wrong with it.
func (t *usageTable) note(m *measured) {
	s := m.segment
	switch {
	case s.file.Path == "":
		return
	case errors.Is(m.err, fs.ErrNotExist):
		t.dropped = true
		m.warnings = append(m.warnings, "the samples are not there any more")
		return
	case m.err != nil:
		m.warnings = append(m.warnings, m.err.Error())
		t.damaged = append(t.damaged, s.name())
		t.warnings = append(t.warnings, engine.Warning{Code: "samples-damaged", Text: fmt.Sprintf("run %s attempt %d: %v", s.run, s.attempt, m.err)})
		return
	}
	for name := range m.extras {
		t.extras[name] = true
	}
	t.segments = append(t.segments, s)
	t.count++
}

// recall takes over what the mark says of samples. Their segments are listed when
// they are asked for.
func (t *usageTable) recall(m *mark) {
	for _, name := range m.Extras {
		t.extras[name] = true
	}
	t.count, t.damaged, t.warnings, t.earlier = m.Segments, m.Damaged, m.Warnings, m.Last.Sequence
}

// list returns all segments that can be read, in the order of their places.
func (t *usageTable) list(tree fsys.FS, src record.Source) ([]segment, error) {
	if t.earlier > 0 && t.count > len(t.segments) {
		for a, err := range src.Attempts() {
			if err != nil {
				return nil, err
			}
			if a.Sequence > t.earlier {
				break
			}
			t.listAttempt(tree, src, a)
		}
	}
	t.earlier = 0
	segments := slices.Clone(t.segments)
	slices.SortStableFunc(segments, func(a, b segment) int { return a.at.compare(b.at) })
	return segments, nil
}

func (t *usageTable) listAttempt(tree fsys.FS, src record.Source, a *record.Attempt) {
	for node := range a.Done.Hosts {
		s := segmentOf(a, node)
		file, ok := segmentFile(a.Files, s.host)
		if !ok {
			continue
		}
		s.dir, s.file = src.AttemptDir(s.run, s.attempt), file
		if slices.Contains(t.damaged, s.name()) {
			continue
		}
		_, err := tree.Lstat(s.name())
		t.dropped = t.dropped || errors.Is(err, fs.ErrNotExist)
		t.segments = append(t.segments, s)
	}
}

// segmentOf returns the segment of a host in an attempt, without its file.
func segmentOf(a *record.Attempt, node int) segment {
	h := &a.Done.Hosts[node]
	return segment{
		at: place{a.Plan, a.Start.Run.Position, a.Start.Attempt, node}, attempt: a.Start.Attempt, run: a.Start.Run.ID,
		host: h.Host, roles: strings.Join(h.Roles, ","), clock: h.Clock,
	}
}
