package partial

import (
	"math/rand/v2"
	"testing"

	"mpf/engine"
)

// FuzzChoose: any request for any small space is refused, or met exactly.
func FuzzChoose(f *testing.F) {
	f.Add(uint64(1), int64(3), "random", int64(1))
	f.Add(uint64(2), int64(0), "pairwise", int64(2))
	f.Add(uint64(3), int64(9), "wsp", int64(-3))
	f.Add(uint64(4), int64(5), "latin", int64(0))
	f.Add(uint64(5), int64(6), "maximin", int64(8))
	f.Fuzz(func(t *testing.T, rules uint64, n int64, method string, seed int64) {
		s := compile(t, invent(rand.New(rand.NewPCG(rules, 3))))
		c, err := Choose(s, engine.Partial{N: n, Method: method}, seed)
		if err != nil {
			return
		}
		if n > 0 && int64(len(c.Treatments)) != n {
			t.Fatalf("%d treatments, want %d", len(c.Treatments), n)
		}
		checkChoice(t, s, c)
	})
}
