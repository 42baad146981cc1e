package usage

import "math"

// A Cut folds the part of the samples that lies in a window, such as a step's.
// What a sample moved is taken as spread evenly over it; its other values hold
// for all of it, so a window shorter than a sample has that sample's.
type Cut struct {
	From, To float64 // seconds since the baseline

	fold  Fold
	moved [counterCount]spread
}

// Add takes the next sample.
func (c *Cut) Add(s Sample) {
	part := s
	part.Start, part.End = max(c.From, s.Start), min(c.To, s.End)
	share := max(0, part.Weight()/s.Weight())
	for i := range c.moved {
		c.moved[i].add(s.Moved[i], share)
		part.Moved[i] = c.moved[i].get()
	}
	if share > 0 {
		c.fold.Add(part)
	}
}

// Fold returns what the window holds so far.
func (c *Cut) Fold() *Fold { return &c.fold }

// A spread adds up the shares of what a total gained.
type spread struct {
	last, sum float64
	known     bool
}

func (s *spread) add(total, share float64) {
	if math.IsNaN(total) {
		return
	}
	if share > 0 {
		s.sum += (total - s.last) * share
		s.known = true
	}
	s.last = total
}

func (s spread) get() float64 {
	if s.known {
		return s.sum
	}
	return math.NaN()
}
