package usage

import (
	"maps"
	"math"
	"testing"
)

// threeSeconds are samples of a second each that move 4, 2 and 6 MiB from disk.
func threeSeconds() []Sample {
	none := math.NaN()
	moved := func(mib float64) [counterCount]float64 {
		return [counterCount]float64{diskRead: mib, diskWritten: none, loSent: none, extSent: none, loReceived: none, extReceived: none}
	}
	return []Sample{
		{Start: 0, End: 1, CPUs: 2, Avg: 10, Min: 5, Max: 15, Mem: 30, Disk: 50, Moved: moved(4)},
		{Start: 1, End: 2, CPUs: 2, Avg: 90, Min: 80, Max: 100, Mem: 60, Disk: 50, Moved: moved(6)},
		{Start: 2, End: 3, CPUs: 2, Avg: 30, Min: 20, Max: 40, Mem: 40, Disk: 51, Moved: moved(12)},
	}
}

func TestAWindowHasItsPartOfTheSamples(t *testing.T) {
	none := math.NaN()
	for _, c := range []struct {
		name     string
		from, to float64
		samples  int
		want     map[Metric]float64
	}{
		{"half of two", 0.5, 1.5, 2, map[Metric]float64{
			Utilization: 50, Over20: 50, Over80: 50, MaxCPUMax: 100, MaxCPUMin: 80, MaxMem: 60, DiskRead: 3, DiskWritten: none, CPUHours: 2.0 / 3600}},
		{"all", -1, 9, 3, map[Metric]float64{Utilization: 130.0 / 3, DiskRead: 12, MaxDisk: 51, CPUHours: 6.0 / 3600}},
		{"a part of one", 2.25, 2.5, 1, map[Metric]float64{Utilization: 30, DiskRead: 1.5, MaxMem: 40, CPUHours: 0.5 / 3600}},
		{"before", -2, 0, 0, map[Metric]float64{Utilization: none, DiskRead: none, MaxMem: none, CPUHours: none}},
		{"after", 3, 4, 0, map[Metric]float64{Utilization: none, DiskRead: none}},
		{"without length", 1.5, 1.5, 0, map[Metric]float64{Utilization: none, DiskRead: none}},
	} {
		cut := Cut{From: c.from, To: c.to}
		for _, s := range threeSeconds() {
			cut.Add(s)
		}
		wantMetrics(t, cut.Fold().Metrics(), c.want, 1e-12)
		window := max(0, min(c.to, 3)-max(c.from, 0))
		if cut.Fold().Samples() != c.samples || !near(cut.Fold().Window(), window, 1e-12) {
			t.Errorf("%s: %d samples over %v s", c.name, cut.Fold().Samples(), cut.Fold().Window())
		}
	}
}

// Windows that follow each other have all of it, and nothing twice.
func TestWindowsThatMeetAddUp(t *testing.T) {
	borders := []float64{0, 0.3, 1.7, 2, 2.9, 3}
	total, hours := 0.0, 0.0
	for i := range borders[1:] {
		cut := Cut{From: borders[i], To: borders[i+1]}
		for _, s := range threeSeconds() {
			cut.Add(s)
		}
		m := cut.Fold().Metrics()
		total, hours = total+m[DiskRead], hours+m[CPUHours]
	}
	if !near(total, 12, 1e-12) || !near(hours, 6.0/3600, 1e-12) {
		t.Errorf("%v MiB, %v h", total, hours)
	}
}

// Counters that are told of less often than they are read gain between the
// moments of which they tell.
func TestCountersThatAreToldLate(t *testing.T) {
	g := Gain{From: 1, To: 2}
	g.Add(0, nil)
	g.Add(0.9, nil)
	g.Add(1, map[string]float64{"a": 10})
	g.Add(1, map[string]float64{"a": 10, "b": 8})
	g.Add(2, map[string]float64{"a": 30, "b": 10})
	g.Add(3, map[string]float64{"a": 99, "b": 99})
	if want := map[string]float64{"a": 20, "b": 10}; !maps.Equal(g.Sums(), want) {
		t.Errorf("got %v, want %v", g.Sums(), want)
	}
}

// What is first told of was counted since the baseline.
func TestCountersThatAreSilentAtFirst(t *testing.T) {
	g := Gain{From: 0, To: 1}
	g.Add(0, nil)
	if g.Add(1, nil); g.Sums() != nil {
		t.Errorf("nothing was told, and %v gained", g.Sums())
	}
	if g.Add(2, map[string]float64{"a": 10}); g.Sums()["a"] != 5 {
		t.Errorf("got %v", g.Sums())
	}
}

func TestCountersGainInAWindow(t *testing.T) {
	g := Gain{From: 0.5, To: 2}
	if g.Add(0, map[string]float64{"a": 100}); g.Sums() != nil {
		t.Errorf("the baseline alone gave %v", g.Sums())
	}
	g.Add(1, map[string]float64{"a": 110, "late": 4})
	g.Add(1.5, map[string]float64{"a": 111, "late": 4})
	g.Add(2.5, map[string]float64{"a": 131, "late": 8})
	g.Add(3, map[string]float64{"a": 999, "late": 9})
	if want := map[string]float64{"a": 16, "late": 4}; !maps.Equal(g.Sums(), want) {
		t.Errorf("got %v, want %v", g.Sums(), want)
	}
}
