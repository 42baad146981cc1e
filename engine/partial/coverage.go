package partial

import (
	"fmt"
	"math/big"

	"mpf/engine"
	"mpf/engine/space"
)

// A Coverage says exactly what a choice covers of its space.
type Coverage struct {
	Treatments int
	Of         *big.Int // treatments in the space

	Levels, LevelsOf int // levels that occur, of those that can

	// Pairs of levels of two variables that occur, of those that can. Bound
	// is how many can occur of any two variables: no fewer treatments cover
	// all pairs. All are -1 where there are too many to count.
	Pairs, PairsOf, Bound int

	// Uneven is the largest difference in how often two levels of one
	// variable occur.
	Uneven   int
	Variable string // that this is true of, or empty

	// Nearest is the least distance between two treatments, from 0 to 1; -1
	// where there are too many to compare.
	Nearest float64
}

const maxCompared = 1 << 12

func cover(s *space.Space, chosen []engine.Treatment) Coverage {
	c := Coverage{Treatments: len(chosen), Of: s.Big(), Pairs: -1, PairsOf: -1, Bound: -1, Nearest: -1}
	c.countLevels(s, chosen)
	if p, ok := newPairs(s, stepsTell); ok {
		for _, t := range chosen {
			p.add(t, 1)
		}
		c.Pairs, c.PairsOf, c.Bound = p.able-p.open, p.able, p.bound
	}
	if len(chosen) > 1 && len(chosen) <= maxCompared {
		c.Nearest = newMetric(s.Variables()).nearest(chosen)
	}
	return c
}

func (c *Coverage) countLevels(s *space.Space, chosen []engine.Treatment) {
	for v, balance := range s.Balances() {
		counts := make([]int, len(balance.Levels))
		for _, t := range chosen {
			if t[v] != engine.Absent {
				counts[t[v]]++
			}
		}
		least, most := -1, 0
		for level, n := range counts {
			if balance.Levels[level].Sign() == 0 {
				continue
			}
			c.LevelsOf++
			if n > 0 {
				c.Levels++
			}
			if least < 0 || n < least {
				least = n
			}
			most = max(most, n)
		}
		if most-max(least, 0) > c.Uneven {
			c.Uneven, c.Variable = most-least, s.Variables()[v].Name
		}
	}
}

// Lines tells a coverage in words, one statement a line.
func (c Coverage) Lines() []string {
	lines := []string{
		fmt.Sprintf("%d of %s treatments", c.Treatments, c.Of),
		fmt.Sprintf("%d of the %d levels that can occur", c.Levels, c.LevelsOf),
	}
	switch {
	case c.Variable == "":
		lines = append(lines, "the levels of each variable equally often")
	default:
		lines = append(lines, fmt.Sprintf("the levels of %q differ most in how often they occur: by %d", c.Variable, c.Uneven))
	}
	if c.PairsOf > 0 {
		lines = append(lines, fmt.Sprintf("%d of the %d pairs of levels that can occur; to cover all takes %d treatments at least", c.Pairs, c.PairsOf, c.Bound))
	}
	if c.Nearest >= 0 {
		lines = append(lines, fmt.Sprintf("the two treatments nearest to each other are %.3g apart, where 1 is all variables at opposite ends", c.Nearest))
	}
	return lines
}
