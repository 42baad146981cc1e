package partial

import (
	"math"

	"mpf/engine"
)

// poolSize is how many treatments the space-filling methods choose from at
// least, where the space has them.
const poolSize = 1 << 10

// pool returns treatments to choose from, in random order.
func (c *chooser) pool() []engine.Treatment {
	size := uint64(max(poolSize, 4*c.n))
	count, _ := c.space.Count()
	return c.drawn(int(min(size, count)))
}

// maximin begins with any treatment and goes on with the one that is farthest
// from all chosen so far. The least distance within the choice is at least half
// of the largest that n treatments of the pool can have.
func (c *chooser) maximin() error {
	if c.exhausts() {
		return nil
	}
	m, pool := newMetric(c.vars), c.pool()
	gap := make([]float64, len(pool)) // to the nearest that is chosen
	for i := range gap {
		gap[i] = math.Inf(1)
	}
	next := 0
	for range c.n {
		c.take(pool[next])
		chosen := pool[next]
		gap[next] = -1
		for i, t := range pool {
			if gap[i] >= 0 {
				gap[i] = math.Min(gap[i], m.between(t, chosen))
			}
		}
		next = farthest(gap)
	}
	return nil
}

func farthest(gap []float64) (at int) {
	for i := range gap {
		if gap[i] > gap[at] {
			at = i
		}
	}
	return at
}
