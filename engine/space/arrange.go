package space

import (
	"math"
	"math/bits"
	"slices"
)

const (
	cheap  = 1 << 14 // the cost up to which the order of declaration is kept
	starts = 16      // orders that are tried beyond it
	effort = 1 << 24 // cubes of the number of variables that they may take
)

// arrange returns the order of the variables in the diagram, and how many lead
// it. What it returns is
// part of the promise that the same declarations give the same ranks; it
// computes with integers only, so it is the same on every machine.
func arrange(rules Rules) (order []int, lead int) {
	a := newArranger(rules)
	declared := a.follow(func(open []int) int { return slices.Min(open) })
	if rules.Declared || a.cost(declared) <= cheap {
		return declared, len(a.lead)
	}
	best, least := declared, a.cost(declared)
	n := max(1, len(rules.Variables))
	for first := range min(starts, effort/(n*n*n), n) {
		order := a.narrowest(first)
		if cost := a.cost(order); cost < least {
			best, least = order, cost
		}
	}
	return best, len(a.lead)
}

// An arranger knows which variables bear on each other.
type arranger struct {
	levels  []uint64
	parents [][]int
	lead    []int   // of First, and those that they hang on, in order
	hangs   [][]int // variables whose condition names this one
	ties    [][]int // variables of each exclusion and each link
	within  [][]int // the ties that a variable is part of
}

func newArranger(rules Rules) *arranger {
	n := len(rules.Variables)
	a := &arranger{parents: make([][]int, n), hangs: make([][]int, n), within: make([][]int, n)}
	for i, v := range rules.Variables {
		outcomes := uint64(len(v.Levels))
		if len(v.When) > 0 {
			outcomes++
		}
		a.levels = append(a.levels, outcomes)
		for _, c := range v.When {
			a.parents[i] = append(a.parents[i], c.Variable)
			a.hangs[c.Variable] = append(a.hangs[c.Variable], i)
		}
	}
	for _, x := range rules.Exclusions {
		a.ties = append(a.ties, x.Variables)
	}
	for _, link := range rules.Links {
		a.ties = append(a.ties, link.Variables)
	}
	for i, tie := range a.ties {
		for _, v := range tie {
			a.within[v] = append(a.within[v], i)
		}
	}
	for _, v := range rules.First {
		a.leadWith(v)
	}
	return a
}

// leadWith puts a variable at the front, behind those that it hangs on.
func (a *arranger) leadWith(v int) {
	if slices.Contains(a.lead, v) {
		return
	}
	for _, parent := range a.parents[v] {
		a.leadWith(parent)
	}
	a.lead = append(a.lead, v)
}

// follow makes an order by choosing, again and again, one of the variables
// whose parents are placed.
func (a *arranger) follow(choose func(open []int) int) []int {
	order := slices.Clone(a.lead)
	placed := make([]bool, len(a.levels))
	for _, v := range order {
		placed[v] = true
	}
	for len(order) < len(a.levels) {
		v := choose(a.open(placed))
		placed[v] = true
		order = append(order, v)
	}
	return order
}

func (a *arranger) open(placed []bool) (open []int) {
	for v := range a.levels {
		ready := !placed[v]
		for _, parent := range a.parents[v] {
			ready = ready && placed[parent]
		}
		if ready {
			open = append(open, v)
		}
	}
	return open
}

// narrowest starts with a variable, or with those that it hangs on, and goes on
// with the one that leaves the fewest states.
func (a *arranger) narrowest(first int) []int {
	placed := make([]bool, len(a.levels))
	for _, v := range a.lead {
		placed[v] = true
	}
	wanted := a.above(first, map[int]bool{})
	started := false
	return a.follow(func(open []int) int {
		best, least := -1, uint64(math.MaxUint64)
		for _, v := range open {
			placed[v] = true
			width := a.width(placed)
			placed[v] = false
			if !started && wanted[v] {
				width = 0
			}
			if best < 0 || width < least {
				best, least = v, width
			}
		}
		started = started || best == first
		placed[best] = true
		return best
	})
}

// above is a variable and all those that it hangs on.
func (a *arranger) above(v int, set map[int]bool) map[int]bool {
	if !set[v] {
		set[v] = true
		for _, parent := range a.parents[v] {
			a.above(parent, set)
		}
	}
	return set
}

// cost bounds the edges of the diagram in an order.
func (a *arranger) cost(order []int) uint64 {
	placed := make([]bool, len(a.levels))
	total := uint64(0)
	for _, v := range order {
		width := a.width(placed)
		edges := times(width, a.levels[v])
		if total += edges; total < edges {
			return math.MaxUint64
		}
		placed[v] = true
	}
	return total
}

// width bounds the states once some variables are set: the levels of those
// that an exclusion or a link still waits for, and one bit for each variable
// to come that hangs on one that is set.
func (a *arranger) width(placed []bool) uint64 {
	width := uint64(1)
	for v, set := range placed {
		switch {
		case set && a.awaited(v, placed):
			width = times(width, a.levels[v])
		case !set && slices.ContainsFunc(a.parents[v], func(p int) bool { return placed[p] }):
			width = times(width, 2)
		}
	}
	return width
}

func (a *arranger) awaited(v int, placed []bool) bool {
	for _, tie := range a.within[v] {
		for _, other := range a.ties[tie] {
			if !placed[other] {
				return true
			}
		}
	}
	return false
}

// times multiplies, and stays at the largest number where that is exceeded.
func times(a, b uint64) uint64 {
	high, low := bits.Mul64(a, b)
	if high != 0 {
		return math.MaxUint64
	}
	return low
}
