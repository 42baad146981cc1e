package usage

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"mpf/engine"
)

func near(a, b, relative float64) bool {
	return a == b || math.IsNaN(a) && math.IsNaN(b) || math.Abs(a-b) <= relative*math.Max(math.Abs(a), math.Abs(b))
}

func wantMetrics(t *testing.T, have Metrics, want map[Metric]float64, relative float64) {
	t.Helper()
	for m, x := range want {
		if !near(have[m], x, relative) {
			t.Errorf("%s is %v, want %v", Descriptions()[m].Name, have[m], x)
		}
	}
}

const fiveReports = `{"3": [
 {"cpu_pct_per_cpu_avg": 10, "cpu_pct_per_cpu_min": 5, "cpu_pct_per_cpu_max": 25, "mem_percent": 31, "disk_usage_percent": 50, "disk_io_read_mb": 100, "disk_io_write_mb": 200, "net_io_lo_sent_mb": 1, "net_io_ext_sent_mb": 2, "net_io_lo_recv_mb": 3, "net_io_ext_recv_mb": 4, "timestamp": 1},
 {"cpu_pct_per_cpu_avg": 20, "cpu_pct_per_cpu_min": 10, "cpu_pct_per_cpu_max": 40, "mem_percent": 32, "disk_usage_percent": 50, "disk_io_read_mb": 101, "disk_io_write_mb": 210, "net_io_lo_sent_mb": 1.25, "net_io_ext_sent_mb": 2.25, "net_io_lo_recv_mb": 3.25, "net_io_ext_recv_mb": 4.5, "timestamp": 2},
 {"cpu_pct_per_cpu_avg": 80, "cpu_pct_per_cpu_min": 60, "cpu_pct_per_cpu_max": 100, "mem_percent": 34, "disk_usage_percent": 50.5, "disk_io_read_mb": 103, "disk_io_write_mb": 230, "net_io_lo_sent_mb": 2, "net_io_ext_sent_mb": 3, "net_io_lo_recv_mb": 3.75, "net_io_ext_recv_mb": 5.5, "timestamp": 4, "other": "x"},
 {"cpu_pct_per_cpu_avg": 40, "cpu_pct_per_cpu_min": 20, "cpu_pct_per_cpu_max": 80, "mem_percent": 33, "disk_usage_percent": 50.5, "disk_io_read_mb": 102, "disk_io_write_mb": 220, "net_io_lo_sent_mb": 1.5, "net_io_ext_sent_mb": 2.5, "net_io_lo_recv_mb": 3.5, "net_io_ext_recv_mb": 5, "timestamp": 3},
 {"mem_percent": 1, "timestamp": 3.5},
 {"cpu_pct_per_cpu_avg": 100, "cpu_pct_per_cpu_min": 100, "cpu_pct_per_cpu_max": 100, "mem_percent": 35, "disk_usage_percent": 51, "disk_io_read_mb": 104, "disk_io_write_mb": 240, "net_io_lo_sent_mb": 2.5, "net_io_ext_sent_mb": 3.5, "net_io_lo_recv_mb": 4, "net_io_ext_recv_mb": 6, "timestamp": 5}
]}`

func TestFiveSamplesOfAnotherSystem(t *testing.T) {
	nodes, err := ReadArtifact(strings.NewReader(fiveReports), ArtifactOptions{CPUs: 4})
	if err != nil || len(nodes) != 1 || nodes[0].Index != 3 || nodes[0].Skipped != 1 || len(nodes[0].Warnings) != 2 {
		t.Fatalf("%+v, %v", nodes, err)
	}
	wantMetrics(t, nodes[0].Metrics(), map[Metric]float64{
		Over20: 80, Over40: 60, Over80: 40, At100: 20, Utilization: 50,
		MaxCPUAvg: 100, MaxCPUMax: 100, MaxCPUMin: 100, CPUHours: 20.0 / 3600, UnusedCPUHours: 10.0 / 3600,
		MaxMem: 35, MaxDisk: 51, DiskRead: 4, DiskWritten: 40, LoSent: 1.5, ExtSent: 1.5, LoReceived: 1, ExtReceived: 2,
	}, 1e-12)
	nodes, err = ReadArtifact(strings.NewReader(fiveReports), ArtifactOptions{})
	if err != nil || !math.IsNaN(nodes[0].Metrics()[CPUHours]) || !math.IsNaN(nodes[0].Metrics()[UnusedCPUHours]) || len(nodes[0].Warnings) != 3 {
		t.Errorf("hours without a number of CPUs: %+v, %v", nodes, err)
	}
}

// TestReportsOfTheOriginal reads a file of the system that the metrics come
// from, where it is at hand.
func TestReportsOfTheOriginal(t *testing.T) {
	data, err := os.ReadFile("../../../shared/fixtures/lgbm-perf-artifact.json")
	if errors.Is(err, fs.ErrNotExist) {
		return // the project restates small cases of its own, above
	}
	if err != nil {
		t.Fatal(err)
	}
	nodes, err := ReadArtifact(bytes.NewReader(data), ArtifactOptions{CPUs: 2})
	if err != nil {
		t.Fatal(err)
	}
	wantMetrics(t, nodes[0].Metrics(), map[Metric]float64{
		DiskRead: 0.16015625, DiskWritten: 3.48828125, LoSent: 9.930431365966797, LoReceived: 9.930431365966797,
		ExtSent: 0.000133514404296875, ExtReceived: 0.0001201629638671875, MaxMem: 6, MaxDisk: 18.2,
		Over20: 100, At100: 100, Utilization: 100, UnusedCPUHours: 0, CPUHours: 0.00334076749,
	}, 1e-7)
}

func TestSamplesWeighByTheirTime(t *testing.T) {
	var f Fold
	at := 0.0
	for _, c := range []struct{ w, avg float64 }{{1, 10}, {1, 90}, {2, 30}} {
		f.Add(Sample{Start: at, End: at + c.w, CPUs: 2, Avg: c.avg, Min: c.avg, Max: c.avg})
		at += c.w
	}
	wantMetrics(t, f.Metrics(), map[Metric]float64{
		Utilization: 40, Over20: 75, Over40: 25, Over80: 25, At100: 0, CPUHours: 8.0 / 3600, UnusedCPUHours: 4.8 / 3600,
	}, 1e-12)
}

func TestSeriesKeepTheirBound(t *testing.T) {
	for _, c := range []struct {
		cap, samples int
		ends         []float64
	}{
		{10, 10, []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}},
		{10, 11, []float64{1, 3, 5, 7, 9, 10, 11}},
		{10, 12, []float64{1, 3, 5, 7, 9, 11, 12}},
		{10, 18, []float64{1, 3, 5, 7, 9, 11, 13, 15, 17, 18}},
		{10, 19, []float64{1, 5, 9, 13, 17, 18, 19}},
		{10, 35, []float64{1, 9, 17, 25, 33, 34, 35}},
		{10, 60, []float64{1, 9, 17, 25, 33, 41, 49, 57, 59, 60}},
		{10, 100, []float64{1, 17, 33, 49, 65, 81, 97, 99, 100}},
		{4, 5, []float64{1, 3, 4, 5}},
	} {
		points := series(t, c.cap, c.samples).Points()
		var ends []float64
		for _, p := range points {
			ends = append(ends, p.End)
		}
		if !slices.Equal(ends, c.ends) {
			t.Errorf("cap %d, %d samples: %v, want %v", c.cap, c.samples, ends, c.ends)
		}
	}
	s := series(t, 0, 86400)
	if n := len(s.Points()); n != 677 || s.stride != 128 {
		t.Errorf("a day: %d points, stride %d", n, s.stride)
	}
	for _, limit := range []int{-2, 2, 5, 1001} {
		if _, err := NewSeries(limit); err == nil {
			t.Errorf("cap %d was taken", limit)
		}
	}
}

func series(t *testing.T, limit, samples int) *Series {
	t.Helper()
	s, err := NewSeries(limit)
	if err != nil {
		t.Fatal(err)
	}
	for i := range samples {
		s.Add(Sample{Start: float64(i), End: float64(i + 1), CPUs: 1})
	}
	return s
}

func TestSeriesLoseNothingThatMatters(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 9))
	for range 200 {
		limit := 4 + 2*r.IntN(20)
		s, err := NewSeries(limit)
		if err != nil {
			t.Fatal(err)
		}
		var f Fold
		var samples []Sample
		at := 0.0
		for range 1 + r.IntN(400) {
			next := Sample{Start: at, End: at + 0.1 + r.Float64(), CPUs: 2, Avg: 100 * r.Float64(), Mem: 50 * r.Float64()}
			next.Min, next.Max = next.Avg/2, next.Avg+1
			at = next.End
			samples = append(samples, next)
			f.Add(next)
			s.Add(next)
			if n := len(s.Points()); n > limit {
				t.Fatalf("%d points of %d", n, limit)
			}
		}
		checkSeries(t, s.Points(), samples, f.Metrics())
	}
}

func checkSeries(t *testing.T, points []Point, samples []Sample, m Metrics) {
	t.Helper()
	n, least, most, sum, weight := 0, math.Inf(1), math.Inf(-1), 0.0, 0.0
	for i, p := range points {
		n += p.N
		least, most = min(least, p.CPUAvgMin), max(most, p.CPUAvgMax)
		sum += p.CPUMean * p.Weight
		weight += p.Weight
		if i > 0 && p.Start != points[i-1].End {
			t.Errorf("a gap before point %d", i)
		}
	}
	smallest := slices.MinFunc(samples, func(a, b Sample) int {
		if a.Avg < b.Avg {
			return -1
		}
		return 1
	})
	first, last := points[0], points[len(points)-1]
	if n != len(samples) || least != smallest.Avg || most != m[MaxCPUAvg] || !near(sum/weight, m[Utilization], 1e-9) {
		t.Errorf("%d of %d samples, min %v, max %v, mean %v", n, len(samples), least, most, sum/weight)
	}
	if first.End != samples[0].End || first.CPUMean != samples[0].Avg || last.CPUMean != samples[len(samples)-1].Avg || last.N != 1 {
		t.Error("the first or the last sample is not as it was")
	}
}

// look is a reading at a time in seconds.
func look(at float64, avg float64) engine.Reading {
	return engine.Reading{
		Mono: time.Duration(at * 1e9), Wall: time.Unix(1000, int64(at*1e9)), CPUs: 2, CPUMean: avg, CPUMin: avg, CPUMax: avg,
		MemPercent: 10 + at, DiskPercent: 50, DiskReadBytes: int64(at * (1 << 20)),
	}
}

// measure folds readings as a table does.
func measure(readings ...engine.Reading) (Metrics, *Meter, []Sample) {
	var samples []Sample
	var f Fold
	m := &Meter{Each: func(s Sample) { samples = append(samples, s); f.Add(s) }}
	for _, r := range readings {
		m.Add(r)
	}
	m.End()
	return f.Metrics(), m, samples
}

func TestReadingsBecomeSamples(t *testing.T) {
	m, _, samples := measure(look(0, math.NaN()), look(1, 20), look(2, 40), look(3, 60))
	if len(samples) != 3 || m[MaxMem] != 13 || m[Utilization] != 40 || m[DiskRead] != 3 {
		t.Errorf("%d samples, %v", len(samples), m)
	}
	t.Run("a closing reading soon after takes the place of the one before", func(t *testing.T) {
		m, _, samples := measure(look(0, math.NaN()), look(1, 20), look(2, 40), look(2.25, 80))
		if len(samples) != 2 || samples[1].Weight() != 1.25 || !near(samples[1].Avg, (40+80*0.25)/1.25, 1e-12) || m[DiskRead] != 2.25 {
			t.Errorf("%+v", samples)
		}
	})
	t.Run("half a period later it does not", func(t *testing.T) {
		if _, _, samples := measure(look(0, math.NaN()), look(1, 20), look(1.5, 40)); len(samples) != 2 {
			t.Errorf("%+v", samples)
		}
	})
	t.Run("a short run keeps its only sample", func(t *testing.T) {
		if _, _, samples := measure(look(0, math.NaN()), look(0.25, 20)); len(samples) != 1 || samples[0].Weight() != 0.25 {
			t.Errorf("%+v", samples)
		}
	})
}

func TestTroubleIsWarnedOf(t *testing.T) {
	m, meter, _ := measure(look(0, math.NaN()))
	if len(meter.Warnings()) != 1 {
		t.Errorf("warnings %q", meter.Warnings())
	}
	for i, x := range m {
		if !math.IsNaN(x) {
			t.Errorf("%s is %v of a baseline alone", Descriptions()[i].Name, x)
		}
	}
	reset := func(at float64, sent int64) engine.Reading {
		r := look(at, 10)
		r.NetLoSentBytes = sent << 20
		return r
	}
	m, meter, _ = measure(reset(0, 100), reset(1, 40), reset(2, 60))
	if m[LoSent] != 60 || len(meter.Warnings()) != 1 {
		t.Errorf("after a reset %v, %q", m[LoSent], meter.Warnings())
	}
	blind := func(at float64) engine.Reading {
		r := look(at, 10)
		r.DiskReadBytes, r.DiskWrittenBytes = -1, -1
		return r
	}
	m, meter, _ = measure(blind(0), blind(1))
	if !math.IsNaN(m[DiskRead]) || !math.IsNaN(m[DiskWritten]) || m[LoSent] != 0 || len(meter.Warnings()) != 1 {
		t.Errorf("without disks %v, %q", m[DiskRead], meter.Warnings())
	}
	fewer := look(2, 10)
	fewer.CPUs = 1
	m, meter, _ = measure(look(0, math.NaN()), look(1, 10), fewer)
	if len(meter.Warnings()) != 1 || !near(m[CPUHours], 3.0/3600, 1e-12) {
		t.Errorf("CPUs that go: %v, %q", m[CPUHours], meter.Warnings())
	}
}

func TestHostsTogether(t *testing.T) {
	a, b := NoMetrics(), NoMetrics()
	a[CPUHours], b[CPUHours] = 1, 3
	a[UnusedCPUHours], b[UnusedCPUHours] = 0.5, 0.3
	a[Utilization], b[Utilization] = 50, 90
	a[Over80], b[Over80] = 0, 100
	a[DiskRead], b[DiskRead] = 5, 7
	a[MaxMem], b[MaxMem] = 30, 60
	a[LoSent] = 1
	all, left := Aggregate([]Metrics{a, b})
	wantMetrics(t, all, map[Metric]float64{CPUHours: 4, Utilization: 80, UnusedCPUHours: 0.8, Over80: 75, DiskRead: 12, MaxMem: 60, LoSent: 1, Over20: math.NaN()}, 1e-12)
	if left[LoSent] != 1 || left[Over20] != 2 || left[DiskRead] != 0 {
		t.Errorf("left out: %v", left)
	}
}

func TestArtifactsComeBack(t *testing.T) {
	r := rand.New(rand.NewPCG(4, 4))
	s, err := NewSeries(0)
	if err != nil {
		t.Fatal(err)
	}
	var f Fold
	at := 0.0
	for i := range 300 {
		next := Sample{Start: at, End: at + 0.9 + r.Float64()/5, Wall: time.Unix(1_795_000_000, int64(i)*1e9), CPUs: 8, Avg: 100 * r.Float64(), Mem: 40, Disk: 20.5}
		next.Min, next.Max = next.Avg/2, min(100, next.Avg*2)
		for c := range next.Moved {
			next.Moved[c] = float64(i*c) / 3
		}
		at = next.End
		f.Add(next)
		s.Add(next)
	}
	var out bytes.Buffer
	if err := WriteArtifact(&out, [][]Point{s.Points(), nil}); err != nil {
		t.Fatal(err)
	}
	nodes, err := ReadArtifact(&out, ArtifactOptions{CPUs: 8})
	if err != nil || len(nodes) != 2 || len(nodes[1].Samples) != 0 {
		t.Fatalf("%d nodes, %v", len(nodes), err)
	}
	have, want := nodes[0].Metrics(), f.Metrics()
	for i := range have {
		if !near(have[i], want[i], 1e-9) {
			t.Errorf("%s is %v, want %v", Descriptions()[i].Name, have[i], want[i])
		}
	}
}

// A share of all the time is 100, however the time was cut.
func TestSharesAreNeverOverAll(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for range 1000 {
		var f Fold
		at := 0.0
		for range 20 {
			w := r.Float64()
			f.Add(Sample{Start: at, End: at + w, CPUs: 2, Avg: 100, Min: 100, Max: 100})
			at += w
		}
		if m := f.Metrics(); m[Over20] != 100 || m[At100] != 100 {
			t.Fatalf("%v and %v", m[Over20], m[At100])
		}
	}
}

// CPUs of which nothing could be read make hours null, not negative.
func TestCPUsThatCouldNotBeReadHaveNoHours(t *testing.T) {
	var f Fold
	m := Meter{Each: f.Add}
	for i := range 3 {
		m.Add(engine.Reading{Mono: time.Duration(i) * time.Second, CPUs: -1, CPUMean: math.NaN(), CPUMin: math.NaN(), CPUMax: math.NaN()})
	}
	m.End()
	if got := f.Metrics(); !math.IsNaN(got[CPUHours]) || !math.IsNaN(got[UnusedCPUHours]) || m.CPUs() != 0 {
		t.Errorf("hours %v and %v of %d CPUs", got[CPUHours], got[UnusedCPUHours], m.CPUs())
	}
}
