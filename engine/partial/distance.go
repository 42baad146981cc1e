package partial

import (
	"cmp"
	"math"
	"slices"

	"mpf/engine"
)

// A metric says how far apart treatments are: the mean over the variables of
// how far apart their levels are. Levels that are all numbers lie on a line, in
// their order and evenly spaced, from 0 to 1; others are 1 apart. A level is 1
// from absence.
type metric struct {
	place [][]float64 // of each level, or nil where levels have no order
}

func newMetric(vars []engine.Variable) metric {
	m := metric{make([][]float64, len(vars))}
	for v := range vars {
		m.place[v] = places(vars[v].Levels)
	}
	return m
}

func places(levels []engine.Level) []float64 {
	type numbered struct {
		level int
		value float64
	}
	var numbers []numbered
	for i, l := range levels {
		switch v := l.Value.(type) {
		case int64:
			numbers = append(numbers, numbered{i, float64(v)})
		case float64:
			numbers = append(numbers, numbered{i, v})
		default:
			return nil
		}
	}
	slices.SortStableFunc(numbers, func(a, b numbered) int { return cmp.Compare(a.value, b.value) })
	place := make([]float64, len(levels))
	for i, n := range numbers {
		place[n.level] = float64(i) / math.Max(1, float64(len(levels)-1))
	}
	return place
}

// between adds whole and divided numbers only, never products, so that it is
// the same on every machine.
func (m metric) between(a, b engine.Treatment) float64 {
	sum := 0.0
	for v, place := range m.place {
		switch {
		case a[v] == b[v]:
		case place == nil || a[v] == engine.Absent || b[v] == engine.Absent:
			sum++
		default:
			sum += math.Abs(place[a[v]] - place[b[v]])
		}
	}
	return sum / float64(max(1, len(m.place)))
}

// nearest returns the least distance between two of the treatments.
func (m metric) nearest(treatments []engine.Treatment) float64 {
	least := math.Inf(1)
	for i, a := range treatments {
		for _, b := range treatments[:i] {
			least = math.Min(least, m.between(a, b))
		}
	}
	return least
}
