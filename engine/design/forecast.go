package design

import "math"

// A Forecast is the sum that runs still to come will add up to, in seconds or
// bytes, judged by the runs that are done. Low and High hold it with about 95 %
// confidence if the runs to come are like those; From is how many these are.
type Forecast struct {
	Total, Low, High float64
	From             int
}

// Foresee makes a forecast for so many runs left. ok is false where fewer than
// two were measured.
func Foresee(measured []float64, left int64) (f Forecast, ok bool) {
	n, m := float64(len(measured)), float64(left)
	if n < 2 {
		return Forecast{}, false
	}
	mean := 0.0
	for _, x := range measured {
		mean += x / n
	}
	variance := 0.0
	for _, x := range measured {
		variance += (x - mean) * (x - mean) / (n - 1)
	}
	// The sum of what is to come varies, and so does the mean it is judged by.
	half := 1.96 * math.Sqrt(variance*(m+m*m/n))
	return Forecast{mean * m, math.Max(0, mean*m-half), mean*m + half, len(measured)}, true
}
