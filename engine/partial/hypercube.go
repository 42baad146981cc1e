package partial

import (
	"math"
	"slices"

	"mpf/engine"
	"mpf/engine/space"
)

// draws is how many treatments are drawn at most, to keep the one whose levels
// were used least.
const draws = 16

// hypercube draws treatments level by level: at each variable, of the levels
// that still lead to a treatment that is not chosen, the one that was used least
// so far; the lot decides between equals. So each level is used as often as the
// others, give or take one, as far as rules and the treatments that are chosen
// already leave the choice.
func (c *chooser) hypercube() error {
	if !c.exhausts() {
		c.fill(c.n)
	}
	return nil
}

// fill draws treatments until n are chosen.
func (c *chooser) fill(n int) {
	b := &balancer{chooser: c, taken: &prefix{}}
	for _, v := range c.vars {
		b.used = append(b.used, make([]int, len(v.Levels)))
	}
	for _, t := range c.chosen {
		b.note(t)
	}
	for len(c.chosen) < n {
		t := b.best()
		b.note(t)
		c.take(t)
	}
}

// A balancer knows how often each level was used, and how many of the
// treatments that begin alike are taken.
type balancer struct {
	*chooser
	used  [][]int
	taken *prefix
}

// A prefix is the beginning of a treatment in the order of ranks.
type prefix struct {
	count uint64
	next  map[int]*prefix
}

func (b *balancer) note(t engine.Treatment) {
	p := b.taken
	p.count++
	for _, v := range b.space.Order() {
		if t[v] != engine.Absent {
			b.used[v][t[v]]++
		}
		if p.next == nil {
			p.next = map[int]*prefix{}
		}
		if p.next[t[v]] == nil {
			p.next[t[v]] = &prefix{}
		}
		p = p.next[t[v]]
		p.count++
	}
}

// best draws until no level was used more than another one of its variable.
func (b *balancer) best() engine.Treatment {
	best, least := b.draw()
	for i := 1; i < draws && least > 0; i++ {
		if t, excess := b.draw(); excess < least {
			best, least = t, excess
		}
	}
	return best
}

// draw returns a treatment that is not taken, and how much more its levels were
// used than the least used ones of their variables.
func (b *balancer) draw() (t engine.Treatment, excess int) {
	t = make(engine.Treatment, len(b.vars))
	p := b.taken
	for at := b.space.Root(); !b.space.Ends(at); {
		v := b.space.Variable(at)
		e := b.least(b.used[v], b.free(at, p))
		t[v] = e.Level
		if e.Level != engine.Absent {
			excess += b.used[v][e.Level] - slices.Min(b.used[v])
		}
		at = e.Child
		if p != nil {
			p = p.next[e.Level]
		}
	}
	return t, excess
}

// free lists the edges that lead to a treatment that is not taken.
func (b *balancer) free(at space.Node, p *prefix) (free []space.Edge) {
	edges := b.space.EdgesOf(at)
	if p == nil || len(p.next) == 0 {
		return edges
	}
	for _, e := range edges {
		below := b.space.Below(e.Child)
		if next := p.next[e.Level]; next == nil || next.count < below || below == math.MaxUint64 {
			free = append(free, e)
		}
	}
	return free
}

// least draws one of the edges whose levels were used least.
func (b *balancer) least(used []int, edges []space.Edge) space.Edge {
	var best []space.Edge
	fewest := math.MaxInt
	for _, e := range edges {
		n := 0
		if e.Level != engine.Absent {
			n = used[e.Level]
		}
		if n < fewest {
			best, fewest = best[:0], n
		}
		if n == fewest {
			best = append(best, e)
		}
	}
	return best[b.lots.Below(uint64(len(best)))]
}
