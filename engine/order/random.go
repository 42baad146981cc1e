package order

import (
	"encoding/binary"
	"math/bits"
)

// Random is a stream of random numbers: xoshiro256**, by Blackman and Vigna,
// with a key as its state.
type Random struct {
	s [4]uint64
}

// NewRandom starts the stream of a key.
func NewRandom(key Key) *Random {
	r := &Random{}
	for i := range r.s {
		r.s[i] = binary.BigEndian.Uint64(key[8*i:])
	}
	if r.s == [4]uint64{} {
		r.s[0] = 1 // the one state that the generator cannot leave
	}
	return r
}

// Uint64 returns 64 random bits.
func (r *Random) Uint64() uint64 {
	out := bits.RotateLeft64(r.s[1]*5, 7) * 9
	t := r.s[1] << 17
	r.s[2] ^= r.s[0]
	r.s[3] ^= r.s[1]
	r.s[1] ^= r.s[2]
	r.s[0] ^= r.s[3]
	r.s[2] ^= t
	r.s[3] = bits.RotateLeft64(r.s[3], 45)
	return out
}

// Below returns a number below n, which is not 0, each one equally likely: the
// high word of a product, where the few products that would favour some numbers
// are drawn again (Lemire's method).
func (r *Random) Below(n uint64) uint64 {
	high, low := bits.Mul64(r.Uint64(), n)
	if low < n {
		for unfair := -n % n; low < unfair; {
			high, low = bits.Mul64(r.Uint64(), n)
		}
	}
	return high
}
