package partial

import (
	"mpf/engine"
	"mpf/engine/space"
)

// maxPairs bounds the pairs of levels that are looked at. The steps that it
// takes to find which of them can occur are bounded too: more where the pairs
// decide what is chosen than where they only tell about it.
const (
	maxPairs  = 1 << 24
	stepsMake = 1 << 30
	stepsTell = 1 << 26
)

// pairs counts how often each pair of levels of two variables occurs in some
// treatments, of those pairs that can occur at all.
type pairs struct {
	order  []int
	sizes  []int
	offset [][]int // of variables by their places in the order, the earlier first
	can    []bool
	count  []int32
	able   int // pairs that can occur
	open   int // and of them, those that do not
	bound  int // the most that can occur of any two variables
}

// newPairs finds which pairs of levels can occur; ok is false if there are too
// many to look at.
func newPairs(s *space.Space, steps int) (p *pairs, ok bool) {
	p = &pairs{order: s.Order(), offset: make([][]int, len(s.Order()))}
	levels := 0
	for _, v := range p.order {
		p.sizes = append(p.sizes, len(s.Variables()[v].Levels))
		levels += len(s.Variables()[v].Levels)
	}
	total := 0
	for i, a := range p.sizes {
		p.offset[i] = make([]int, len(p.order))
		for j := i + 1; j < len(p.order); j++ {
			p.offset[i][j] = total
			if total += a * p.sizes[j]; total > maxPairs {
				return nil, false
			}
		}
	}
	if nodes, edges := s.Size(); (nodes+edges)*levels > steps {
		return nil, false
	}
	p.can, p.count = make([]bool, total), make([]int32, total)
	p.findAble(s)
	return p, true
}

func (p *pairs) findAble(s *space.Space) {
	able := make([][]int, len(p.order))
	for i := range able {
		able[i] = make([]int, len(p.order))
	}
	for i, v := range p.order {
		for a := range p.sizes[i] {
			together := s.Together(v, a)
			for j := i + 1; j < len(p.order); j++ {
				for b, can := range together[p.order[j]] {
					if can {
						p.can[p.at(i, a, j, b)] = true
						able[i][j]++
					}
				}
			}
		}
		for _, n := range able[i] {
			p.able += n
			p.bound = max(p.bound, n)
		}
	}
	p.open = p.able
}

// at is the index of a pair: level a at place i of the order with level b at a
// later place j.
func (p *pairs) at(i, a, j, b int) int { return p.offset[i][j] + a*p.sizes[j] + b }

// add counts the pairs of a treatment, by times each.
func (p *pairs) add(t engine.Treatment, times int32) {
	p.each(t, func(pair int) {
		if p.count[pair] == 0 {
			p.open--
		}
		p.count[pair] += times
		if p.count[pair] == 0 {
			p.open++
		}
	})
}

// each calls f with every pair of a treatment.
func (p *pairs) each(t engine.Treatment, f func(pair int)) {
	for i, v := range p.order {
		if t[v] == engine.Absent {
			continue
		}
		for j := i + 1; j < len(p.order); j++ {
			if b := t[p.order[j]]; b != engine.Absent {
				f(p.at(i, t[v], j, b))
			}
		}
	}
}
