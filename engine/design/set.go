package design

import (
	"iter"
	"slices"

	"mpf/engine"
	"mpf/engine/space"
)

// listLimit is the number of treatments up to which those of a restriction are
// listed; beyond it the whole block is walked and the others passed over.
const listLimit = 1 << 20

// A set is part of the ranks of a design, in ascending order.
type set interface {
	size() uint64
	at(i uint64) uint64
	has(rank uint64) bool
}

// window is part of the ranks that follow each other.
type window struct{ first, end uint64 }

func (w window) size() uint64         { return w.end - w.first }
func (w window) at(i uint64) uint64   { return w.first + i }
func (w window) has(rank uint64) bool { return rank >= w.first && rank < w.end }

// list is ranks one by one.
type list []uint64

func (l list) size() uint64       { return uint64(len(l)) }
func (l list) at(i uint64) uint64 { return l[i] }
func (l list) has(rank uint64) bool {
	_, ok := slices.BinarySearch(l, rank)
	return ok
}

// subspace is the ranks of the treatments that a smaller space has too, from
// one of its own ranks up to another. Both have the same order of variables, so
// both kinds of rank ascend together.
type subspace struct {
	whole, sub *space.Space
	window
}

func (s subspace) at(i uint64) uint64 {
	t := make(engine.Treatment, len(s.whole.Variables()))
	s.sub.Kth(s.first+i, t)
	rank, _ := s.whole.Rank(t)
	return rank
}

func (s subspace) has(rank uint64) bool {
	t := make(engine.Treatment, len(s.whole.Variables()))
	s.whole.Kth(rank, t)
	own, ok := s.sub.Rank(t)
	return ok && s.window.has(own)
}

// cut keeps the i-th to the j-th member of a set.
func cut(s set, i, j uint64) set {
	switch s := s.(type) {
	case window:
		return window{s.first + i, s.first + j}
	case subspace:
		s.window = window{s.first + i, s.first + j}
		return s
	}
	return s.(list)[i:j]
}

// places yields the places of a block that belong to the design, in order.
func (d *Design) places(o *blockOrder) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		if d.part != nil && d.part.size() <= min(listLimit, d.count/4) {
			for _, i := range d.placesOf(o) {
				if !yield(i) {
					return
				}
			}
			return
		}
		for i := range d.count {
			if (d.part == nil || d.part.has(o.at(i))) && !yield(i) {
				return
			}
		}
	}
}

func (d *Design) placesOf(o *blockOrder) []uint64 {
	places := make([]uint64, d.part.size())
	for i := range places {
		places[i] = o.place(d.part.at(uint64(i)))
	}
	slices.Sort(places)
	return places
}
