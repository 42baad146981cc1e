package order

import "testing"

// FuzzPermutation: any number has one place, and is found there.
func FuzzPermutation(f *testing.F) {
	f.Add(uint64(4), uint64(1), uint64(2))
	f.Add(uint64(TableLimit+1), uint64(7), uint64(TableLimit))
	f.Add(^uint64(0), uint64(9), uint64(12345))
	f.Fuzz(func(t *testing.T, n, seed, i uint64) {
		if n == 0 {
			return
		}
		i %= n
		p := New(n, key(seed))
		x := p.At(i)
		if x >= n || p.Place(x) != i {
			t.Fatalf("n=%d: place %d holds %d, whose place is %d", n, i, x, p.Place(x))
		}
	})
}
