package space

import "slices"

// states holds different rows of numbers, all of one width, and knows each
// by the place at which it came first.
type states struct {
	width int
	data  []uint32
	count int
	table []uint32 // open addressing: a place and one more, or 0
}

func newStates(width int) *states {
	return &states{width: width, table: make([]uint32, 16)}
}

// at returns a row. It must not be changed.
func (s *states) at(i int) []uint32 { return s.data[i*s.width : (i+1)*s.width] }

// add returns the place of a row, which is new or not.
func (s *states) add(row []uint32) uint32 {
	if 2*s.count >= len(s.table) {
		s.grow()
	}
	slot := s.find(row)
	if s.table[slot] == 0 {
		s.data = append(s.data, row...)
		s.count++
		s.table[slot] = uint32(s.count)
	}
	return s.table[slot] - 1
}

// find returns the slot of a row, or the empty one in which it belongs.
func (s *states) find(row []uint32) uint64 {
	mask := uint64(len(s.table) - 1)
	slot := hash(row) & mask
	for s.table[slot] != 0 && !slices.Equal(s.at(int(s.table[slot]-1)), row) {
		slot = (slot + 1) & mask
	}
	return slot
}

func (s *states) grow() {
	s.table = make([]uint32, 2*len(s.table))
	for i := range s.count {
		s.table[s.find(s.at(i))] = uint32(i + 1)
	}
}

func hash(row []uint32) uint64 {
	h := uint64(len(row))
	for _, number := range row {
		h = (h ^ uint64(number)) * 0x9e3779b97f4a7c15
		h ^= h >> 32
	}
	return h
}
