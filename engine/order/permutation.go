package order

import "sync"

// TableLimit is the largest number of things whose order is a table.
const TableLimit = 1 << 20

// A Permutation is an order of the numbers 0..n-1. It may be used from several
// goroutines.
type Permutation struct {
	n       uint64
	same    bool     // every number stays in its place
	table   []uint32 // of up to TableLimit numbers
	inverse func() []uint32
	cipher  cipher // of more
}

// New returns the order that a key gives to n numbers.
func New(n uint64, key Key) *Permutation {
	p := &Permutation{n: n}
	switch {
	case n <= 1:
		p.same = true
	case n <= TableLimit:
		p.table = shuffled(int(n), NewRandom(key))
		p.inverse = sync.OnceValue(func() []uint32 { return inverted(p.table) })
	default:
		p.cipher = newCipher(n, NewRandom(key))
	}
	return p
}

// Same returns the order in which every number stays in its place.
func Same(n uint64) *Permutation { return &Permutation{n: n, same: true} }

// Len returns how many numbers there are.
func (p *Permutation) Len() uint64 { return p.n }

// At returns the number at place i, which is below Len.
func (p *Permutation) At(i uint64) uint64 {
	switch {
	case p.same:
		return i
	case p.table != nil:
		return uint64(p.table[i])
	}
	x := p.cipher.mix(i)
	for x >= p.n {
		x = p.cipher.mix(x)
	}
	return x
}

// Place returns the place of a number: Place(At(i)) == i.
func (p *Permutation) Place(x uint64) uint64 {
	switch {
	case p.same:
		return x
	case p.table != nil:
		return uint64(p.inverse()[x])
	}
	i := p.cipher.unmix(x)
	for i >= p.n {
		i = p.cipher.unmix(i)
	}
	return i
}

func shuffled(n int, random *Random) []uint32 {
	table := make([]uint32, n)
	for i := range table {
		table[i] = uint32(i)
	}
	for i := n - 1; i > 0; i-- {
		j := random.Below(uint64(i) + 1)
		table[i], table[j] = table[j], table[i]
	}
	return table
}

func inverted(table []uint32) []uint32 {
	inverse := make([]uint32, len(table))
	for i, x := range table {
		inverse[x] = uint32(i)
	}
	return inverse
}
