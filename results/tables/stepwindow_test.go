package tables

import (
	"context"
	"testing"
	"time"

	"mpf/engine"
)

// TestStepsHaveTheirPartOfTheSamples: the readings of each host begin a second
// after the run, by the controller's clock, and last three. node1 is idle.
func TestStepsHaveTheirPartOfTheSamples(t *testing.T) {
	tree, c := memory(t), newCampaign(1)
	for _, a := range c.attempts {
		at := func(seconds float64) time.Time {
			return a.Start.Wall.Add(time.Duration(seconds * float64(time.Second)))
		}
		a.Done.Steps = []engine.StepRecord{
			{Step: "serve", Role: "server", Host: "node1", Start: at(1.5), Seconds: 2},
			{Step: "measure", Role: "client", Host: "node2", Start: at(2.5), Seconds: 1},
			{Step: "early", Role: "client", Host: "node2", Start: at(0), Seconds: 0.5},
			{Step: "elsewhere", Role: "client", Host: "node3", Start: at(2), Seconds: 1},
		}
	}
	sampledBy(t, tree, c, 4, time.Second, func(start time.Time, host int) func(int) engine.Reading {
		return func(k int) engine.Reading {
			r := lookAt(start, k, host, time.Second)
			r.Extra = map[string]float64{"perf.faults": float64(100 * k), "gpu0_percent": 1}
			if host == 1 { // perf spoke half a second before each reading
				r.Extra["perf.faults"], r.Extra["perf_mono"] = float64(100*k*k), float64(k)-0.5
			}
			return r
		}
	})
	c.attempts[1].Files = nil // nothing was sampled
	if _, err := Publish(context.Background(), c, tree, Options{}); err != nil {
		t.Fatal(err)
	}
	steps := load(t, tree, StepsFile)
	if steps.Len() != 4*len(c.attempts) {
		t.Fatalf("%d rows", steps.Len())
	}
	for row, want := range []map[string]engine.Value{
		{"step": "serve", "n_samples": int64(3), "window_s": 2.0, "cpu_avg_utilization_pct": 0.0, "total_disk_io_read_mb": 2.0, "perf": `{"faults":200}`},
		{"step": "measure", "n_samples": int64(2), "window_s": 1.0, "cpu_avg_utilization_pct": 50.0, "total_disk_io_write_mb": 2.0, "perf": `{"faults":500}`},
		{"step": "early", "n_samples": int64(0), "window_s": 0.0, "cpu_avg_utilization_pct": nil, "total_disk_io_read_mb": nil, "perf": nil},
		{"step": "elsewhere", "n_samples": int64(0), "cpu_avg_utilization_pct": nil},
		{"step": "serve", "n_samples": int64(0), "cpu_avg_utilization_pct": nil},
	} {
		for name, value := range want {
			if have := cell(t, steps, row, name); have != value {
				t.Errorf("row %d: %s is %v, want %v", row, name, have, value)
			}
		}
	}
	u := load(t, tree, UsageFile)
	if have := cell(t, u, 1, "perf"); have != `{"faults":900}` {
		t.Errorf("the run has %v", have)
	}
}
