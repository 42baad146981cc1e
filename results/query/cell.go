package query

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"mpf/results/columns"
	"mpf/results/stats"
)

// A Cell describes the values of one result in one group.
type Cell struct {
	N      int
	Values []float64 // for each of Stats; of "ci" the lower end
	CI     *stats.Interval
}

func (s *Summary) cell(v *columns.Vector, rows []int) Cell {
	values := make([]float64, 0, len(rows))
	for _, row := range rows {
		if x := numberAt(v, row); !math.IsNaN(x) {
			values = append(values, x)
		}
	}
	c := Cell{N: len(values)}
	for _, name := range s.Stats {
		x, _ := s.statistic(name, values)
		c.Values = append(c.Values, x)
	}
	if slices.Contains(s.Stats, "ci") {
		c.CI = s.interval(values)
	}
	return c
}

// numberAt returns a value as a number, 1 for true, and not a number for what is
// none.
func numberAt(v *columns.Vector, row int) float64 {
	switch v.Kind(row) {
	case columns.KindFloat:
		return v.Float(row)
	case columns.KindInt:
		return float64(int64(v.Word(row)))
	case columns.KindBool:
		if v.Word(row) != 0 {
			return 1
		}
		return 0
	}
	return math.NaN()
}

// interval is that of the median, or of the mean where no median is shown.
func (s *Summary) interval(values []float64) *stats.Interval {
	of := stats.MedianInterval
	if s.ofMean() {
		of = stats.MeanInterval
	}
	if i, ok := of(values, s.confidence); ok {
		return &i
	}
	return nil
}

func (s *Summary) ofMean() bool {
	return slices.Contains(s.Stats, "mean") && !slices.Contains(s.Stats, "median")
}

func (s *Summary) statistic(name string, values []float64) (float64, error) {
	switch name {
	case "n":
		return float64(len(values)), nil
	case "mean":
		return stats.Mean(values), nil
	case "median":
		return stats.Median(values), nil
	case "sd":
		return stats.Deviation(values), nil
	case "min":
		return stats.Percentile(values, 0), nil
	case "max":
		return stats.Percentile(values, 100), nil
	case "ci":
		if i := s.interval(values); i != nil {
			return i.Low, nil
		}
		return math.NaN(), nil
	}
	if p, err := strconv.ParseFloat(strings.TrimPrefix(name, "p"), 64); err == nil && name[0] == 'p' && p >= 0 && p <= 100 {
		return stats.Percentile(values, p), nil
	}
	return 0, fmt.Errorf("statistic %q: there is none (use n, mean, median, ci, sd, min, max or pNN such as p99)", name)
}

// tooFew warns once of groups that are too small for an interval.
func (s *Summary) tooFew() {
	if !slices.Contains(s.Stats, "ci") || s.ofMean() {
		return
	}
	least, small := stats.LeastForMedian(s.confidence), 0
	for _, g := range s.Groups {
		if slices.ContainsFunc(g.Cells, func(c Cell) bool { return c.N < least }) {
			small++
		}
	}
	if small > 0 {
		s.warn("too-few", "%s without an interval: %v %% of a median needs %d replicates", count(small, "line"), 100*s.confidence, least)
	}
}
