package usage

import (
	"math"
	"strings"
	"time"

	"mpf/engine"
)

// GPUMetric numbers one of the metrics of a host's GPUs.
type GPUMetric int

const (
	GPUUtilization GPUMetric = iota
	MaxGPUUtilization
	GPUMem
	MaxGPUMem
	GPUPower
	MaxGPUPower

	gpuMetricCount
)

// GPUMetrics holds a value for each; NaN is null.
type GPUMetrics [gpuMetricCount]float64

// GPUDescriptions lists them in their order.
func GPUDescriptions() [gpuMetricCount]Description {
	return [gpuMetricCount]Description{
		{"gpu_avg_utilization_pct", "%", "mean use of the GPUs, weighted by time"},
		{"max_t_gpu_utilization_pct", "%", "largest use of one GPU in one sample"},
		{"gpu_avg_mem_percent", "%", "mean use of the memory of the GPUs, weighted by time"},
		{"max_t_gpu_mem_percent", "%", "largest use of the memory of one GPU in one sample"},
		{"gpu_avg_power_w", "W", "mean power of all GPUs together, weighted by time"},
		{"max_t_gpu_power_w", "W", "largest power of all GPUs together in one sample"},
	}
}

// A GPUFold makes metrics of what readings say of GPUs. The zero value has seen
// none.
type GPUFold struct {
	before         time.Duration
	readings       int
	seen           map[string]bool
	use, mem       weighed
	power          weighed
	topUse, topMem peak
	topPower       peak
}

// A weighed value is a mean, weighted by time.
type weighed struct{ sum, weight float64 }

func (m *weighed) add(x, weight float64) {
	if !math.IsNaN(x) {
		m.sum += x * weight
		m.weight += weight
	}
}

func (m weighed) get() float64 { return m.sum / m.weight } // NaN of nothing

// Add takes the next reading; the first begins the time.
func (f *GPUFold) Add(r *engine.Reading) {
	weight := (r.Mono - f.before).Seconds()
	f.before = r.Mono
	if f.readings++; f.readings == 1 || weight <= 0 {
		return
	}
	power := math.NaN()
	for name, x := range r.Extra {
		gpu, what, ok := cutGPU(name)
		if !ok {
			continue
		}
		f.note(gpu)
		switch what {
		case "utilization_percent":
			f.use.add(x, weight)
			f.topUse.add(x)
		case "memory_used_mib":
			used := 100 * x / r.Extra["gpu."+gpu+".memory_total_mib"]
			f.mem.add(used, weight)
			f.topMem.add(used)
		case "power_watts":
			power = plus(power, x)
		}
	}
	f.power.add(power, weight)
	f.topPower.add(power)
}

// cutGPU takes gpu.0.power_watts apart.
func cutGPU(name string) (gpu, what string, ok bool) {
	rest, ok := strings.CutPrefix(name, "gpu.")
	if !ok {
		return "", "", false
	}
	return strings.Cut(rest, ".")
}

func (f *GPUFold) note(gpu string) {
	if f.seen == nil {
		f.seen = map[string]bool{}
	}
	f.seen[gpu] = true
}

// plus adds what is known.
func plus(x, y float64) float64 {
	if math.IsNaN(x) {
		return y
	}
	if math.IsNaN(y) {
		return x
	}
	return x + y
}

// Count returns how many GPUs were read.
func (f *GPUFold) Count() int { return len(f.seen) }

// Metrics returns the metrics so far; all are null where no GPU was read.
func (f *GPUFold) Metrics() GPUMetrics {
	return GPUMetrics{f.use.get(), f.topUse.get(), f.mem.get(), f.topMem.get(), f.power.get(), f.topPower.get()}
}
