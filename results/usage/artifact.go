package usage

import (
	"encoding/json"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"time"
)

// reportKeys are the twelve keys of a report, the time last.
func reportKeys() [12]string {
	return [...]string{
		"cpu_pct_per_cpu_avg", "cpu_pct_per_cpu_min", "cpu_pct_per_cpu_max", "mem_percent", "disk_usage_percent",
		"disk_io_read_mb", "disk_io_write_mb", "net_io_lo_sent_mb", "net_io_ext_sent_mb", "net_io_lo_recv_mb", "net_io_ext_recv_mb",
		"timestamp",
	}
}

const (
	intervalKey    = "interval_s"
	firstCounter   = 5  // of reportKeys
	placeTimestamp = 11 // of reportKeys
)

// WriteArtifact writes the series of the hosts of a run as one JSON object: the
// index of the host as text, and its reports in time order. Counters count from
// the run's baseline. A host without samples has an empty list.
func WriteArtifact(w io.Writer, hosts [][]Point) error {
	object := map[string][]map[string]*float64{}
	for i, points := range hosts {
		reports := []map[string]*float64{}
		for _, p := range points {
			reports = append(reports, report(p))
		}
		object[strconv.Itoa(i)] = reports
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", " ")
	return encoder.Encode(object)
}

func report(p Point) map[string]*float64 {
	values := [12]float64{p.CPUMean, p.CPUMin, p.CPUMax, p.MemMax, p.DiskMax}
	copy(values[firstCounter:], p.Moved[:])
	values[placeTimestamp] = float64(p.Wall.UnixMicro()) / 1e6
	r := map[string]*float64{intervalKey: known(p.Weight)}
	for i, key := range reportKeys() {
		r[key] = known(values[i])
	}
	return r
}

func known(x float64) *float64 {
	if math.IsNaN(x) || math.IsInf(x, 0) {
		return nil
	}
	return &x
}

// ArtifactOptions say what an artifact does not.
type ArtifactOptions struct {
	Period time.Duration // weight of a first report that has none; 0 is one second
	CPUs   int           // 0: not known, hours are null
}

// A Node is a host of an artifact that was read.
type Node struct {
	Index    int
	Samples  []Sample
	Skipped  int // reports that lack a key
	Warnings []string
}

// Metrics folds the samples of the node.
func (n Node) Metrics() Metrics {
	var f Fold
	for _, s := range n.Samples {
		f.Add(s)
	}
	return f.Metrics()
}

// ReadArtifact reads what WriteArtifact wrote, and files of the same shape
// whose reports have no interval: weights are distances in time then, and the
// first report is the counters' baseline.
func ReadArtifact(r io.Reader, o ArtifactOptions) ([]Node, error) {
	var object map[string][]map[string]any
	if err := json.NewDecoder(r).Decode(&object); err != nil {
		return nil, fmt.Errorf("performance reports: not an object of lists: %w", err)
	}
	var nodes []Node
	for name, reports := range object {
		index, err := strconv.Atoi(name)
		if err != nil || index < 0 {
			return nil, fmt.Errorf("performance reports: node %q: is not an index", name)
		}
		nodes = append(nodes, readNode(index, reports, o))
	}
	slices.SortFunc(nodes, func(a, b Node) int { return a.Index - b.Index })
	return nodes, nil
}

// parsed is a report with its values in the order of reportKeys.
type parsed struct {
	values   [12]float64
	interval float64 // NaN: has none
}

func readNode(index int, reports []map[string]any, o ArtifactOptions) Node {
	n := Node{Index: index}
	var list []parsed
	for _, r := range reports {
		if p, ok := parseReport(r); ok {
			list = append(list, p)
		} else {
			n.Skipped++
		}
	}
	byTime := func(a, b parsed) int {
		switch d := a.values[placeTimestamp] - b.values[placeTimestamp]; {
		case d < 0:
			return -1
		case d > 0:
			return 1
		}
		return 0
	}
	if n.Skipped > 0 {
		n.Warnings = append(n.Warnings, fmt.Sprintf("reports that lack a key: %d left out", n.Skipped))
	}
	if !slices.IsSortedFunc(list, byTime) {
		slices.SortStableFunc(list, byTime)
		n.Warnings = append(n.Warnings, "reports were not in the order of time: sorted")
	}
	if o.CPUs == 0 {
		n.Warnings = append(n.Warnings, "the number of CPUs is not known: no CPU hours")
	}
	n.Samples = samplesOf(list, o)
	return n
}

func parseReport(r map[string]any) (parsed, bool) {
	p := parsed{interval: math.NaN()}
	for i, key := range reportKeys() {
		switch x := r[key].(type) {
		case float64:
			p.values[i] = x
		case nil:
			if _, present := r[key]; !present || i == placeTimestamp {
				return p, false
			}
			p.values[i] = math.NaN()
		default:
			return p, false
		}
	}
	if x, ok := r[intervalKey].(float64); ok {
		p.interval = x
	}
	return p, true
}

func samplesOf(list []parsed, o ArtifactOptions) []Sample {
	whole := !slices.ContainsFunc(list, func(p parsed) bool { return math.IsNaN(p.interval) })
	period := 1.0
	if o.Period != 0 {
		period = o.Period.Seconds()
	}
	var samples []Sample
	var moved, last [counterCount]float64
	end := 0.0
	for i, p := range list {
		weight := p.interval
		if !whole {
			weight = period
			if i > 0 {
				weight = p.values[placeTimestamp] - list[i-1].values[placeTimestamp]
			}
		}
		for c := range moved {
			now := p.values[firstCounter+c]
			moved[c] += gained(last[c], now, i == 0 && !whole)
			last[c] = now
		}
		micros := int64(math.Round(p.values[placeTimestamp] * 1e6))
		samples = append(samples, Sample{
			Start: end, End: end + weight, Wall: time.UnixMicro(micros).UTC(), CPUs: o.CPUs,
			Avg: p.values[0], Min: p.values[1], Max: p.values[2], Mem: p.values[3], Disk: p.values[4], Moved: moved,
		})
		end += weight
	}
	return samples
}

// gained is what a counter moved; one that went down was reset.
func gained(last, now float64, baseline bool) float64 {
	switch {
	case baseline:
		return 0 * now
	case now < last:
		return now
	}
	return now - last
}
