package partial

import (
	"math"
	"slices"

	"mpf/engine"
)

// halvings is how often the interval in which the distance lies is halved.
const halvings = 24

// wsp seeks the largest distance at which the walk still chooses n treatments.
// Of more than n, those nearest to another one are left out.
func (c *chooser) wsp() error {
	if c.exhausts() {
		return nil
	}
	w := &walker{metric: newMetric(c.vars), pool: c.pool()}
	best := w.pool
	low, high := 0.0, 1.0
	for range halvings {
		middle := (low + high) / 2
		if walked := w.walk(middle); len(walked) < c.n {
			high = middle
		} else {
			low, best = middle, walked
		}
	}
	c.chosen = w.thin(best, c.n)
	return nil
}

type walker struct {
	metric
	pool []engine.Treatment
}

// walk chooses the first treatment of the pool, strikes out all that are nearer
// to it than a distance, goes on to the nearest that is left, and so on.
func (w *walker) walk(distance float64) (chosen []engine.Treatment) {
	left := slices.Clone(w.pool)
	for at := 0; len(left) > 0; {
		now, own := left[at], at
		chosen = append(chosen, now)
		nearest := math.Inf(1)
		kept := 0
		for i, t := range left {
			d := w.between(now, t)
			if i == own || d < distance {
				continue
			}
			if d < nearest {
				nearest, at = d, kept
			}
			left[kept] = t
			kept++
		}
		left = left[:kept]
	}
	return chosen
}

// thin leaves out treatments, each time one of the two that are nearest to each
// other, until n are left.
func (w *walker) thin(treatments []engine.Treatment, n int) []engine.Treatment {
	left := slices.Clone(treatments)
	gaps := make([]float64, len(left))
	for i := range left {
		gaps[i] = w.gap(left, i)
	}
	for len(left) > n {
		at := 0
		for i := range gaps {
			if gaps[i] < gaps[at] {
				at = i
			}
		}
		gone := left[at]
		left, gaps = slices.Delete(left, at, at+1), slices.Delete(gaps, at, at+1)
		for i, t := range left {
			if w.between(t, gone) <= gaps[i] {
				gaps[i] = w.gap(left, i)
			}
		}
	}
	return left
}

// gap is the distance from one treatment to the nearest other.
func (w *walker) gap(treatments []engine.Treatment, i int) float64 {
	least := math.Inf(1)
	for j, t := range treatments {
		if j != i {
			least = math.Min(least, w.between(t, treatments[i]))
		}
	}
	return least
}
