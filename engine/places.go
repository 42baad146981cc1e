package engine

import (
	"cmp"
	"slices"
	"sort"
)

// Places is a set of places in the order of a design: see Run.Position. It is
// kept as ranges, which are few where runs were executed in their order, so that
// a million runs can be passed over without a look at each. The zero value is
// empty; what was made is not changed any more.
type Places struct{ ranges []PlaceRange }

// A PlaceRange is the places from First up to, but not with, End.
type PlaceRange struct{ First, End int64 }

// NewPlaces makes a set of ranges in any order, which may overlap.
func NewPlaces(ranges []PlaceRange) Places {
	sorted := slices.SortedFunc(slices.Values(ranges), func(a, b PlaceRange) int { return cmp.Compare(a.First, b.First) })
	joined := sorted[:0]
	for _, r := range sorted {
		if n := len(joined); n > 0 && r.First <= joined[n-1].End {
			joined[n-1].End = max(joined[n-1].End, r.End)
			continue
		}
		joined = append(joined, r)
	}
	return Places{joined}
}

// Ranges returns the ranges of the set, in order and apart from each other. They
// are not to be changed.
func (p Places) Ranges() []PlaceRange { return p.ranges }

// Empty reports whether the set has no place.
func (p Places) Empty() bool { return len(p.ranges) == 0 }

// Size returns the number of places.
func (p Places) Size() (n int64) {
	for _, r := range p.ranges {
		n += r.End - r.First
	}
	return n
}

// Has reports whether a place is in the set.
func (p Places) Has(position int64) bool { return p.HasAll(PlaceRange{position, position + 1}) }

// HasAll reports whether all places of a range are in the set.
func (p Places) HasAll(r PlaceRange) bool {
	i := sort.Search(len(p.ranges), func(i int) bool { return p.ranges[i].End > r.First })
	return i < len(p.ranges) && p.ranges[i].First <= r.First && r.End <= p.ranges[i].End
}
