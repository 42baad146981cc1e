package usage

import (
	"math"
	"testing"
	"time"

	"mpf/engine"
)

func gpuReading(second float64, extra map[string]float64) *engine.Reading {
	return &engine.Reading{Mono: time.Duration(second * float64(time.Second)), Extra: extra}
}

func TestGPUsWeighByTime(t *testing.T) {
	none := math.NaN()
	for name, c := range map[string]struct {
		readings []*engine.Reading
		count    int
		want     GPUMetrics
	}{
		"no GPU": {[]*engine.Reading{gpuReading(0, nil), gpuReading(1, map[string]float64{"process.count": 3})},
			0, GPUMetrics{none, none, none, none, none, none}},
		"two GPUs": {[]*engine.Reading{gpuReading(0, map[string]float64{"gpu.0.utilization_percent": 99}), gpuReading(1, map[string]float64{
			"gpu.0.utilization_percent": 50, "gpu.0.memory_used_mib": 1000, "gpu.0.memory_total_mib": 4000, "gpu.0.power_watts": 40,
			"gpu.1.utilization_percent": 100, "gpu.1.memory_used_mib": 3000, "gpu.1.memory_total_mib": 4000, "gpu.1.power_watts": 60.5,
		})}, 2, GPUMetrics{75, 100, 50, 75, 100.5, 100.5}},
		"one that tells little": {[]*engine.Reading{gpuReading(5, nil), gpuReading(6, map[string]float64{
			"gpu.0.utilization_percent": none, "gpu.0.memory_used_mib": 10, "gpu.0.memory_total_mib": 100, "gpu.0.power_watts": none,
		})}, 1, GPUMetrics{none, none, 10, 10, none, none}},
		"longer samples": {[]*engine.Reading{gpuReading(0, nil),
			gpuReading(1, map[string]float64{"gpu.0.utilization_percent": 90}), gpuReading(4, map[string]float64{"gpu.0.utilization_percent": 10}),
		}, 1, GPUMetrics{30, 90, none, none, none, none}},
	} {
		var f GPUFold
		for _, r := range c.readings {
			f.Add(r)
		}
		if f.Count() != c.count {
			t.Errorf("%s: %d GPUs, want %d", name, f.Count(), c.count)
		}
		for i, x := range f.Metrics() {
			if !near(x, c.want[i], 1e-12) {
				t.Errorf("%s: %s is %v, want %v", name, GPUDescriptions()[i].Name, x, c.want[i])
			}
		}
	}
}
