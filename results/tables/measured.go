package tables

import (
	"maps"
	"strings"
	"time"

	"mpf/engine"
	"mpf/results/fsys"
	"mpf/results/record"
	"mpf/results/usage"
)

// measured is what the samples of a host in an attempt say.
type measured struct {
	segment  segment // its file is empty where nothing was sampled
	asked    engine.Sampling
	lost     bool // the sampler gave no account of itself at the end
	metrics  usage.Metrics
	gpus     usage.GPUMetrics
	gpuCount int
	perf     string
	cpus     int
	samples  int
	window   float64
	steps    []stepWindow
	extras   map[string]bool
	warnings []engine.Value
	err      error // why the segment could not be read
}

// measureAll reads the samples of all hosts of an attempt, some at once.
func measureAll(tree fsys.FS, dir func() string, a *record.Attempt, e *engine.Experiment) []*measured {
	if len(a.Done.Hosts) == 0 {
		return nil
	}
	all := make([]*measured, len(a.Done.Hosts))
	for node := range a.Done.Hosts {
		h := &a.Done.Hosts[node]
		m := &measured{segment: segmentOf(a, node), asked: askedOf(h, e), lost: h.Ended.Readings == 0, metrics: usage.NoMetrics(), gpus: (&usage.GPUFold{}).Metrics()}
		for _, text := range h.Ended.Warnings {
			m.warnings = append(m.warnings, text)
		}
		if file, ok := segmentFile(a.Files, h.Host); ok {
			m.segment.dir, m.segment.file = dir(), file
			m.steps = windowsOf(a.Done.Steps, h.Host)
		} else if !m.asked.Off {
			m.warnings = append(m.warnings, "no readings: nothing was sampled")
		}
		all[node] = m
	}
	_ = each(all, func(m *measured) error { // an error is the host's own
		if m.segment.file.Path != "" {
			m.err = m.fold(tree)
		}
		if m.err != nil {
			m.steps = nil
		}
		return nil
	})
	return all
}

// askedOf says how a host was to be watched.
func askedOf(h *engine.HostRecord, e *engine.Experiment) engine.Sampling {
	if h.Sampling != nil {
		return *h.Sampling
	}
	return e.SamplingOf(h.Roles)
}

// fold makes metrics of a segment, of the whole and of each step. A segment that
// cannot be read gives none.
func (m *measured) fold(tree fsys.FS) error {
	var fold usage.Fold
	var gpus usage.GPUFold
	var baseline time.Duration
	var last time.Time // by the host's clock
	counted := map[string]float64{}
	meter := usage.Meter{Period: m.asked.Period, Each: func(s usage.Sample) {
		fold.Add(s)
		for i := range m.steps {
			m.steps[i].metrics.Add(s)
		}
	}}
	for r, err := range m.segment.readings(tree) {
		if err != nil {
			return err
		}
		if meter.Readings() == 0 {
			baseline = r.Mono
			m.begin(r.Wall.Add(m.segment.clock.Offset))
		}
		last = r.Wall
		meter.Add(*r)
		gpus.Add(r)
		counts := m.perfCounts(r)
		maps.Copy(counted, counts)
		for i := range m.steps {
			m.steps[i].perf.Add(countedAt(r)-baseline.Seconds(), counts)
		}
	}
	meter.End()
	m.gpus, m.gpuCount = gpus.Metrics(), gpus.Count()
	if len(counted) > 0 {
		m.perf = asJSON(counted)
	}
	m.metrics, m.cpus, m.samples, m.window = fold.Metrics(), meter.CPUs(), fold.Samples(), fold.Window()
	for _, text := range meter.Warnings() {
		m.warnings = append(m.warnings, text)
	}
	if m.lost && meter.Readings() > 0 {
		m.warnings = append(m.warnings, m.lostAt(last))
	}
	return nil
}

// lostAt says when the last reading was taken, by the controller's clock.
func (m *measured) lostAt(last time.Time) string {
	return "the sampler was lost: its last reading is of " + last.Add(m.segment.clock.Offset).UTC().Format("2006-01-02T15:04:05.000Z")
}

func (m *measured) begin(baseline time.Time) {
	for i := range m.steps {
		m.steps[i].begin(baseline)
	}
}

// countedAt is when perf counted what a reading holds, by the host's monotonic
// clock: perf speaks when it wants to.
func countedAt(r *engine.Reading) float64 {
	if told, ok := r.Extra["perf_mono"]; ok {
		return told
	}
	return r.Mono.Seconds()
}

// perfCounts returns what perf has counted since the first reading; all names of
// extra readings are noted.
func (m *measured) perfCounts(r *engine.Reading) map[string]float64 {
	var counts map[string]float64
	for name, x := range r.Extra {
		if m.extras == nil {
			m.extras = map[string]bool{}
		}
		m.extras[name] = true
		if event, ok := strings.CutPrefix(name, "perf."); ok {
			if counts == nil {
				counts = map[string]float64{}
			}
			counts[event] = x
		}
	}
	return counts
}
