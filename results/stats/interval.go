package stats

import (
	"math"
	"slices"
)

// An Interval is a confidence interval.
type Interval struct{ Low, High float64 }

// HalfWidth returns half of its width, relative to a value.
func (i Interval) HalfWidth(of float64) float64 {
	return math.Abs((i.High - i.Low) / 2 / of)
}

// LeastForMedian returns how many values an interval of a median needs.
func LeastForMedian(confidence float64) int {
	for n := 1; ; n++ {
		if 1-math.Pow(2, float64(1-n)) >= confidence || n > 1000 {
			return n
		}
	}
}

// MedianInterval returns the narrowest symmetric pair of order statistics that
// holds the median with at least the confidence given, such as 0.95. It says
// false where there are too few values.
func MedianInterval(values []float64, confidence float64) (Interval, bool) {
	n := len(values)
	if n < LeastForMedian(confidence) {
		return Interval{}, false
	}
	// Of n values, the number below the median is binomial with p = 1/2.
	below, k := 0.0, 0
	for ; k < n/2; k++ {
		below += math.Exp(logChoose(n, k) - float64(n)*math.Ln2)
		if 1-2*below < confidence {
			break
		}
	}
	sorted := slices.Sorted(slices.Values(values))
	return Interval{sorted[k-1], sorted[n-k]}, true
}

func logChoose(n, k int) float64 {
	return logFactorial(n) - logFactorial(k) - logFactorial(n-k)
}

func logFactorial(n int) float64 {
	l, _ := math.Lgamma(float64(n + 1))
	return l
}

// MeanInterval returns Student's interval of the mean. It says false of fewer
// than two values.
func MeanInterval(values []float64, confidence float64) (Interval, bool) {
	n := len(values)
	if n < 2 {
		return Interval{}, false
	}
	mean := Mean(values)
	half := tQuantile(1-(1-confidence)/2, float64(n-1)) * Deviation(values) / math.Sqrt(float64(n))
	return Interval{mean - half, mean + half}, true
}

// tQuantile returns where Student's distribution reaches p, which is above 1/2.
func tQuantile(p, freedom float64) float64 {
	low, high := 0.0, 1.0
	for tCDF(high, freedom) < p && high < 1e9 {
		high *= 2
	}
	for range 100 {
		middle := (low + high) / 2
		if tCDF(middle, freedom) < p {
			low = middle
		} else {
			high = middle
		}
	}
	return (low + high) / 2
}

// tCDF returns Student's distribution at t >= 0.
func tCDF(t, freedom float64) float64 {
	return 1 - betaRatio(freedom/(freedom+t*t), freedom/2, 0.5)/2
}

// betaRatio returns the regularized incomplete beta function, by the continued
// fraction of Lentz's method.
func betaRatio(x, a, b float64) float64 {
	if x <= 0 || x >= 1 {
		return min(max(x, 0), 1)
	}
	if x > (a+1)/(a+b+2) {
		return 1 - betaRatio(1-x, b, a)
	}
	la, _ := math.Lgamma(a)
	lb, _ := math.Lgamma(b)
	lab, _ := math.Lgamma(a + b)
	front := math.Exp(a*math.Log(x)+b*math.Log1p(-x)+lab-la-lb) / a
	return front * betaFraction(x, a, b)
}

func betaFraction(x, a, b float64) float64 {
	const tiny = 1e-300
	f, c, d := 1.0, 1.0, 0.0
	for i := range 400 {
		m := float64(i / 2)
		var term float64
		switch {
		case i == 0:
			term = 1
		case i%2 == 0:
			term = m * (b - m) * x / ((a + 2*m - 1) * (a + 2*m))
		default:
			term = -(a + m) * (a + b + m) * x / ((a + 2*m) * (a + 2*m + 1))
		}
		d = 1 / nonZero(1+term*d, tiny)
		c = nonZero(1+term/c, tiny)
		f *= c * d
		if math.Abs(1-c*d) < 1e-15 && i > 0 {
			break
		}
	}
	return f - 1
}

func nonZero(x, tiny float64) float64 {
	if math.Abs(x) < tiny {
		return tiny
	}
	return x
}
