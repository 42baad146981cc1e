package order

import "math/bits"

// multiplier is odd, so multiplying by it can be undone: the 64 bits after the
// point of the golden ratio.
const multiplier = 0x9e3779b97f4a7c15

const rounds = 6

// A cipher is a keyed bijection on the numbers of a few bits. In each round a
// key is added, a multiplication carries every bit upwards and a shift folds
// the upper half onto the lower one; each of the three can be undone.
type cipher struct {
	mask  uint64
	shift uint
	undo  uint64 // times multiplier is 1
	keys  [rounds]uint64
}

func newCipher(n uint64, random *Random) cipher {
	width := bits.Len64(n - 1)
	c := cipher{
		mask:  ^uint64(0) >> (64 - width),
		shift: uint(width+1) / 2,
		undo:  inverse(multiplier),
	}
	for i := range c.keys {
		c.keys[i] = random.Uint64()
	}
	return c
}

func (c *cipher) mix(x uint64) uint64 {
	for _, key := range c.keys {
		x = (x + key) * multiplier & c.mask
		x ^= x >> c.shift
	}
	return x
}

// unmix undoes mix. The shift is at least half of the width, so folding once
// more restores what was folded.
func (c *cipher) unmix(x uint64) uint64 {
	for i := rounds - 1; i >= 0; i-- {
		x ^= x >> c.shift
		x = (x*c.undo - c.keys[i]) & c.mask
	}
	return x
}

// inverse returns the number whose product with an odd one is 1 modulo 2^64:
// each of Newton's steps doubles the bits that are right, beginning with 3.
func inverse(odd uint64) uint64 {
	x := odd
	for range 5 {
		x *= 2 - odd*x
	}
	return x
}
