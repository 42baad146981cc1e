package space

import (
	"encoding/binary"
	"math/bits"

	"mpf/engine"
)

// The ids of two sets that every domain has.
const (
	whole uint32 = iota // every level
	gone                // the variable is absent
)

// A domain holds the sets of outcomes that a variable is left with. Equal sets
// have equal ids.
type domain struct {
	levels int
	sets   [][]uint64 // bits by level; nil for whole and gone
	ids    map[string]uint32
}

func newDomain(levels int) *domain {
	return &domain{levels: levels, sets: make([][]uint64, 2), ids: map[string]uint32{}}
}

// each calls f with every outcome of a set, in order, until it returns false.
func (d *domain) each(id uint32, f func(level int) bool) {
	switch id {
	case gone:
		f(engine.Absent)
	case whole:
		for level := 0; level < d.levels && f(level); level++ {
		}
	default:
		for w, word := range d.sets[id] {
			for ; word != 0; word &= word - 1 {
				if !f(w*64 + bits.TrailingZeros64(word)) {
					return
				}
			}
		}
	}
}

// intern returns the id of a set of levels; ok is false if it is empty.
func (d *domain) intern(set []uint64) (id uint32, ok bool) {
	count := 0
	key := make([]byte, 0, 8*len(set))
	for _, word := range set {
		count += bits.OnesCount64(word)
		key = binary.BigEndian.AppendUint64(key, word)
	}
	if count == 0 {
		return 0, false
	}
	if count == d.levels {
		return whole, true
	}
	id, known := d.ids[string(key)]
	if !known {
		id = uint32(len(d.sets))
		d.sets = append(d.sets, set)
		d.ids[string(key)] = id
	}
	return id, true
}
