package stats

import (
	"math"
	"slices"
)

// Mean returns the arithmetic mean, NaN of nothing.
func Mean(values []float64) float64 {
	if len(values) == 0 {
		return math.NaN()
	}
	var sum, lost float64 // Kahan's sum
	for _, x := range values {
		y := x - lost
		t := sum + y
		lost = (t - sum) - y
		sum = t
	}
	return sum / float64(len(values))
}

// Deviation returns the standard deviation of a sample, NaN of fewer than two
// values.
func Deviation(values []float64) float64 {
	if len(values) < 2 {
		return math.NaN()
	}
	mean := Mean(values)
	squares := make([]float64, len(values))
	for i, x := range values {
		squares[i] = (x - mean) * (x - mean)
	}
	n := float64(len(values))
	return math.Sqrt(Mean(squares) * n / (n - 1))
}

// Median returns the middle value, or the mean of the two in the middle.
func Median(values []float64) float64 { return Percentile(values, 50) }

// Percentile returns the p-th percentile, between two values by linear
// interpolation: the definition that numpy and R use unless told otherwise.
func Percentile(values []float64, p float64) float64 {
	if len(values) == 0 || p < 0 || p > 100 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(values))
	at := p / 100 * float64(len(sorted)-1)
	low := int(at)
	if low == len(sorted)-1 {
		return sorted[low]
	}
	part := at - float64(low)
	if part == 0 || sorted[low] == sorted[low+1] {
		return sorted[low]
	}
	return sorted[low]*(1-part) + sorted[low+1]*part
}
