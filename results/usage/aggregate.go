package usage

import "math"

// Aggregate makes one set of metrics of those of several hosts: sums of totals
// and hours, maxima of maxima, and means of the utilizations weighted by CPU
// hours. A null is left out; left says how many hosts each metric lacks.
func Aggregate(hosts []Metrics) (all Metrics, left [metricCount]int) {
	all = NoMetrics()
	for i := range all {
		switch m := Metric(i); {
		case m <= Utilization:
			all[i], left[i] = weighted(hosts, m)
		case m == CPUHours || m == UnusedCPUHours || m >= DiskRead:
			all[i], left[i] = reduce(hosts, m, func(x, y float64) float64 { return x + y })
		default:
			all[i], left[i] = reduce(hosts, m, math.Max)
		}
	}
	return all, left
}

func reduce(hosts []Metrics, m Metric, join func(x, y float64) float64) (result float64, left int) {
	result = math.NaN()
	for _, h := range hosts {
		switch x := h[m]; {
		case math.IsNaN(x):
			left++
		case math.IsNaN(result):
			result = x
		default:
			result = join(result, x)
		}
	}
	return result, left
}

func weighted(hosts []Metrics, m Metric) (result float64, left int) {
	var sum, weight float64
	for _, h := range hosts {
		if math.IsNaN(h[m]) || math.IsNaN(h[CPUHours]) {
			left++
			continue
		}
		sum += h[m] * h[CPUHours]
		weight += h[CPUHours]
	}
	if weight == 0 {
		return math.NaN(), left
	}
	return sum / weight, left
}
