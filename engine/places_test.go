package engine

import (
	"math/rand/v2"
	"testing"
)

// A set holds the places of all its ranges, in whatever order they came.
func TestPlacesHoldTheirRanges(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 200 {
		var ranges []PlaceRange
		in := map[int64]bool{}
		for range random.IntN(12) {
			r := PlaceRange{First: random.Int64N(60)}
			r.End = r.First + 1 + random.Int64N(9)
			ranges = append(ranges, r)
			for place := r.First; place < r.End; place++ {
				in[place] = true
			}
		}
		checkPlaces(t, NewPlaces(ranges), in)
	}
}

func checkPlaces(t *testing.T, p Places, in map[int64]bool) {
	t.Helper()
	if p.Empty() != (len(in) == 0) || p.Size() != int64(len(in)) {
		t.Errorf("%v is empty: %v, size %d, but has %d places", p, p.Empty(), p.Size(), len(in))
	}
	for place := range int64(80) {
		if p.Has(place) != in[place] {
			t.Errorf("%v has %d: %v", p, place, p.Has(place))
		}
		all := true
		for end := place + 1; end < 80; end++ {
			if all = all && in[end-1]; p.HasAll(PlaceRange{place, end}) != all {
				t.Errorf("%v has all from %d to %d: %v", p, place, end, !all)
			}
		}
	}
	for i, r := range p.Ranges() {
		if r.First >= r.End || i > 0 && r.First <= p.Ranges()[i-1].End {
			t.Errorf("%v is not in order and apart", p.Ranges())
		}
	}
}
