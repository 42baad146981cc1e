package partial

import (
	"bytes"
	"math/big"
	"slices"

	"mpf/engine"
	"mpf/engine/order"
	"mpf/engine/space"
)

// random chooses n treatments, every set of them equally likely.
func (c *chooser) random() error {
	for _, t := range c.drawn(c.n) {
		c.take(t)
	}
	return nil
}

// drawn returns n different treatments.
func (c *chooser) drawn(n int) []engine.Treatment {
	count, ok := c.space.Count()
	switch {
	case !ok:
		return c.drawnLarge(n)
	case count <= order.TableLimit:
		return c.drawnByContent(n, count)
	}
	p := order.New(count, order.KeyOf("mpf-partial-1 ranks", uint64(c.seed)))
	drawn := make([]engine.Treatment, n)
	for i := range drawn {
		drawn[i] = c.kth(p.At(uint64(i)))
	}
	return drawn
}

// drawnByContent takes the treatments that hash lowest.
func (c *chooser) drawnByContent(n int, count uint64) []engine.Treatment {
	type hashed struct {
		hash engine.RunID
		rank uint64
	}
	ids := engine.NewIdentifier("mpf-partial-1", c.seed, c.vars)
	all := make([]hashed, count)
	t := make(engine.Treatment, len(c.vars))
	for k := range all {
		c.space.Kth(uint64(k), t)
		all[k] = hashed{ids.Identify(t, 0), uint64(k)}
	}
	slices.SortFunc(all, func(a, b hashed) int { return bytes.Compare(a.hash[:], b.hash[:]) })
	drawn := make([]engine.Treatment, n)
	for i := range drawn {
		drawn[i] = c.kth(all[i].rank)
	}
	return drawn
}

// drawnLarge draws from a space without ranks, again where a treatment comes
// twice.
func (c *chooser) drawnLarge(n int) []engine.Treatment {
	random := order.NewRandom(order.KeyOf("mpf-partial-1 large", uint64(c.seed)))
	drawn := make([]engine.Treatment, 0, n)
	seen := map[string]bool{}
	for len(drawn) < n {
		t := make(engine.Treatment, len(c.vars))
		for at := c.space.Root(); !c.space.Ends(at); {
			e := weighed(c.space, random, at)
			t[c.space.Variable(at)] = e.Level
			at = e.Child
		}
		if key := t.Format(c.vars); !seen[key] {
			seen[key] = true
			drawn = append(drawn, t)
		}
	}
	return drawn
}

// weighed draws an edge by the number of treatments that it leads to.
func weighed(s *space.Space, random *order.Random, at space.Node) space.Edge {
	k := below(random, s.BigBelow(at))
	edges := s.EdgesOf(at)
	for _, e := range edges {
		size := s.BigBelow(e.Child)
		if k.Cmp(size) < 0 {
			return e
		}
		k.Sub(k, size)
	}
	return edges[len(edges)-1]
}

// below draws a number below n, each one equally likely: as many bits as n has,
// drawn again until they make a number that is small enough.
func below(random *order.Random, n *big.Int) *big.Int {
	width := n.BitLen()
	for {
		k := new(big.Int)
		for got := 0; got < width; got += 64 {
			k.Lsh(k, 64)
			k.Or(k, new(big.Int).SetUint64(random.Uint64()))
		}
		k.Rsh(k, uint(-width&63))
		if k.Cmp(n) < 0 {
			return k
		}
	}
}
