package space

import "mpf/engine"

// A Plot is a range of ranks in which the leading variables keep their levels.
type Plot struct {
	Levels      []int // of the leading variables, in the order of ranks
	First, Size uint64
}

// Plots lists the plots in the order of their ranks; ok is false if there are
// more than most.
func (s *Space) Plots(most int) (plots []Plot, ok bool) {
	levels := make([]int, 0, s.lead)
	first := uint64(0)
	var walk func(n Node) bool
	walk = func(n Node) bool {
		if len(levels) == s.lead {
			plots = append(plots, Plot{append([]int(nil), levels...), first, s.Below(n)})
			first += s.Below(n)
			return len(plots) <= most
		}
		for _, e := range s.out(n) {
			levels = append(levels, int(e.level))
			if !walk(e.child) {
				return false
			}
			levels = levels[:len(levels)-1]
		}
		return true
	}
	if s.root == dead {
		return nil, true
	}
	return plots, walk(s.root)
}

// PlotsOf lists the plots of treatments that are sorted by rank.
func (s *Space) PlotsOf(treatments []engine.Treatment) (plots []Plot) {
	for i, t := range treatments {
		if i == 0 || s.leads(treatments[i-1], t) {
			plots = append(plots, Plot{First: uint64(i)})
			for _, v := range s.order[:s.lead] {
				plots[len(plots)-1].Levels = append(plots[len(plots)-1].Levels, t[v])
			}
		}
		plots[len(plots)-1].Size++
	}
	return plots
}

// leads reports whether two treatments differ in a leading variable.
func (s *Space) leads(a, b engine.Treatment) bool {
	for _, v := range s.order[:s.lead] {
		if a[v] != b[v] {
			return true
		}
	}
	return false
}

// Compare orders treatments as their ranks do.
func (s *Space) Compare(a, b engine.Treatment) int {
	for _, v := range s.order {
		if a[v] != b[v] {
			return a[v] - b[v]
		}
	}
	return 0
}
