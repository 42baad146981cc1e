package design

import (
	"iter"
	"math/big"

	"mpf/engine"
	"mpf/engine/space"
)

// Balances counts how many treatments of the design have each level; exact is
// false where a restriction is too large to count one by one, and then the
// counts are those of the whole design.
func (d *Design) Balances() (balances []space.Balance, exact bool) {
	if s, ok := d.part.(subspace); ok && s.size() == count(s.sub) {
		return s.sub.Balances(), true
	}
	if d.choice == nil && (d.part == nil || d.part.size() == d.count) {
		return d.space.Balances(), true
	}
	part := d.part
	if part == nil {
		part = window{0, d.count}
	}
	if part.size() > listLimit {
		return d.space.Balances(), false
	}
	return d.counted(part), true
}

func count(s *space.Space) uint64 {
	n, _ := s.Count()
	return n
}

func (d *Design) counted(part set) []space.Balance {
	counts := make([][]int64, len(d.experiment.Variables)) // absence, then levels
	for v := range counts {
		counts[v] = make([]int64, 1+len(d.experiment.Variables[v].Levels))
	}
	t := make(engine.Treatment, len(counts))
	for i := range part.size() {
		d.treatment(part.at(i), t)
		for v, level := range t {
			counts[v][level+1]++
		}
	}
	balances := make([]space.Balance, len(counts))
	for v := range counts {
		balances[v].Absent = big.NewInt(counts[v][0])
		for _, n := range counts[v][1:] {
			balances[v].Levels = append(balances[v].Levels, big.NewInt(n))
		}
	}
	return balances
}

// All yields the treatments of the design, those of a restriction only, by
// rank. The treatment is overwritten by the next.
func (d *Design) All() iter.Seq2[uint64, engine.Treatment] {
	return func(yield func(uint64, engine.Treatment) bool) {
		part := d.part
		if part == nil {
			part = window{0, d.count}
		}
		t := make(engine.Treatment, len(d.experiment.Variables))
		for i := range part.size() {
			rank := part.at(i)
			d.treatment(rank, t)
			if !yield(rank, t) {
				return
			}
		}
	}
}
