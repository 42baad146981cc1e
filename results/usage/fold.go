package usage

import "math"

// A Fold makes metrics of samples. The zero value has seen none.
type Fold struct {
	samples       int
	window        float64
	weighed, sum  float64 // over samples that have a CPU value
	over          [4]float64
	hours         float64
	withoutCPUs   bool
	avg, top, low peak
	mem, disk     peak
	moved         [counterCount]float64
}

// A peak is the largest of some values that may be NaN.
type peak struct {
	value float64
	known bool
}

func (p *peak) add(x float64) {
	if !math.IsNaN(x) && (!p.known || x > p.value) {
		p.value, p.known = x, true
	}
}

func (p peak) get() float64 {
	if p.known {
		return p.value
	}
	return math.NaN()
}

// Add takes the next sample.
func (f *Fold) Add(s Sample) {
	w := s.Weight()
	f.samples++
	f.window += w
	f.hours += w * float64(s.CPUs) / 3600
	f.withoutCPUs = f.withoutCPUs || s.CPUs == 0
	if !math.IsNaN(s.Avg) {
		f.weighed += w
		f.sum += w * s.Avg
		for i, bound := range [...]float64{20, 40, 80, 100} {
			if s.Avg >= bound {
				f.over[i] += w
			}
		}
	}
	f.avg.add(s.Avg)
	f.top.add(s.Max)
	f.low.add(s.Min)
	f.mem.add(s.Mem)
	f.disk.add(s.Disk)
	f.moved = s.Moved
}

// Samples returns how many there were.
func (f *Fold) Samples() int { return f.samples }

// Window returns the seconds that they cover.
func (f *Fold) Window() float64 { return f.window }

// Metrics returns the metrics of the samples so far.
func (f *Fold) Metrics() Metrics {
	m := NoMetrics()
	if f.samples == 0 {
		return m
	}
	if f.weighed > 0 {
		for i, over := range f.over {
			m[int(Over20)+i] = 100 * (over / f.weighed) // in this order never over 100
		}
		m[Utilization] = f.sum / f.weighed
	}
	m[MaxCPUAvg], m[MaxCPUMax], m[MaxCPUMin] = f.avg.get(), f.top.get(), f.low.get()
	if !f.withoutCPUs {
		m[CPUHours] = f.hours
		m[UnusedCPUHours] = f.hours * (100 - m[Utilization]) / 100
	}
	m[MaxMem], m[MaxDisk] = f.mem.get(), f.disk.get()
	for i, moved := range f.moved {
		m[int(DiskRead)+i] = moved
	}
	return m
}
