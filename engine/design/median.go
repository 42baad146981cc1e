package design

import (
	"math"
	"slices"
)

// confidence is the level of the intervals that stopping rules look at.
const confidence = 0.95

// An interval holds the median of what was measured with the confidence above,
// whatever the distribution.
type interval struct{ Low, Median, High float64 }

// medianInterval returns the interval between two order statistics: as narrow
// as the ranks allow, with the median's chance of lying outside at most 5 %.
// ok is false where there are too few values for any: less than six.
func medianInterval(values []float64) (i interval, ok bool) {
	n := len(values)
	r := outerRank(n)
	if r == 0 {
		return interval{}, false
	}
	sorted := slices.Clone(values)
	slices.Sort(sorted)
	return interval{sorted[r-1], (sorted[(n-1)/2] + sorted[n/2]) / 2, sorted[n-r]}, true
}

// outerRank returns the largest r for which the median lies between the r-th
// and the r-th last of n values with the confidence asked for; 0 if none does.
// The chance that it does not is twice that of fewer than r heads in n tosses.
func outerRank(n int) int {
	log := -float64(n) * math.Ln2 // of the chance of exactly r heads
	outside, r := 0.0, 0
	for r < n/2 {
		outside += 2 * math.Exp(log)
		if outside > 1-confidence {
			break
		}
		log += math.Log(float64(n-r)) - math.Log(float64(r+1))
		r++
	}
	return r
}

// relativeHalfWidth returns half the width of the interval as part of the
// median: 0 where all is equal, infinite around a median of 0.
func (i interval) relativeHalfWidth() float64 {
	width := (i.High - i.Low) / 2
	if width == 0 {
		return 0
	}
	return math.Abs(width / i.Median)
}
