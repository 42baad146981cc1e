package stats

import (
	"math"
	"math/rand/v2"
	"testing"
)

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-6*math.Max(1, math.Abs(b)) }

func TestDescriptions(t *testing.T) {
	values := []float64{9, 1, 4, 2}
	for _, c := range []struct {
		name       string
		have, want float64
	}{
		{"mean", Mean(values), 4},
		{"median", Median(values), 3},
		{"median of one", Median([]float64{7}), 7},
		{"deviation", Deviation(values), 3.559026084},
		{"p0", Percentile(values, 0), 1},
		{"p25", Percentile(values, 25), 1.75},
		{"p99", Percentile(values, 99), 8.85},
		{"p100", Percentile(values, 100), 9},
		{"median of infinities", Median([]float64{math.Inf(1), math.Inf(1)}), math.Inf(1)},
	} {
		if !near(c.have, c.want) && c.have != c.want {
			t.Errorf("%s is %v, want %v", c.name, c.have, c.want)
		}
	}
	for _, x := range []float64{Mean(nil), Median(nil), Deviation([]float64{1}), Percentile(values, 101)} {
		if !math.IsNaN(x) {
			t.Errorf("%v of too few values", x)
		}
	}
}

// The ranks are those of published tables of the sign test.
func TestMedianIntervalsAreOrderStatistics(t *testing.T) {
	for _, c := range []struct{ n, low, high int }{{6, 1, 6}, {8, 1, 8}, {9, 2, 8}, {10, 2, 9}, {20, 6, 15}, {100, 40, 61}} {
		values := make([]float64, c.n)
		for i := range values {
			values[i] = float64(c.n - i)
		}
		have, ok := MedianInterval(values, 0.95)
		if !ok || have != (Interval{float64(c.low), float64(c.high)}) {
			t.Errorf("n %d: %v, want ranks %d and %d", c.n, have, c.low, c.high)
		}
	}
	if _, ok := MedianInterval(make([]float64, 5), 0.95); ok || LeastForMedian(0.95) != 6 || LeastForMedian(0.99) != 8 {
		t.Error("an interval of five values")
	}
}

func TestStudentsQuantiles(t *testing.T) {
	for _, c := range []struct{ freedom, want float64 }{{1, 12.7062047}, {2, 4.3026527}, {5, 2.5705818}, {9, 2.2621572}, {30, 2.0422725}, {1000, 1.9623391}} {
		if have := tQuantile(0.975, c.freedom); !near(have, c.want) {
			t.Errorf("%v degrees: %v, want %v", c.freedom, have, c.want)
		}
	}
}

// TestIntervalsHoldWhatTheyPromise draws from a skewed distribution.
func TestIntervalsHoldWhatTheyPromise(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	held := 0
	const rounds = 4000
	for range rounds {
		values := make([]float64, 11)
		for i := range values {
			values[i] = r.ExpFloat64()
		}
		if i, ok := MedianInterval(values, 0.95); ok && i.Low <= math.Ln2 && math.Ln2 <= i.High {
			held++
		}
	}
	if share := float64(held) / rounds; share < 0.94 {
		t.Errorf("held the median in %.1f %% of %d rounds", 100*share, rounds)
	}
}
