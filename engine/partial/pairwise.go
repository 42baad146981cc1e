package partial

import (
	"fmt"

	"mpf/engine"
	"mpf/engine/space"
)

const (
	attempts   = 64      // arrays that are made, to keep the smallest
	effort     = 1 << 19 // pairs times treatments, beyond which no other is made
	candidates = 16      // treatments that are tried for each place in one
)

// pairwise makes a covering array: treatments that together hold every pair of
// levels that can occur.
func (c *chooser) pairwise() error {
	p, ok := newPairs(c.space, stepsMake)
	if !ok {
		return c.mistake("pairwise: too many pairs of levels to look at", "vary fewer levels")
	}
	best := c.array(p)
	for work := 0; work < attempts && len(best) > p.bound && work*len(best)*p.able < effort; work++ {
		if rows := c.array(p); len(rows) < len(best) {
			best = rows
		}
	}
	if c.n > 0 && c.n < len(best) {
		return c.mistake(fmt.Sprintf("pairwise needs %d treatments, not %d", len(best), c.n),
			`let it find the number: sample(0, "pairwise")`)
	}
	c.chosen = best
	c.fill(c.n)
	return nil
}

// array makes one covering array, greedily. The counts of p are left at zero.
func (c *chooser) array(p *pairs) []engine.Treatment {
	g := newGreedy(c, p)
	var rows []engine.Treatment
	for p.open > 0 {
		row := g.row(g.target())
		rows = append(rows, row)
		g.cover(row)
	}
	rows = g.prune(rows)
	for _, row := range rows {
		p.add(row, -1)
	}
	return g.withLoneLevels(rows)
}

// greedy makes an array row by row.
type greedy struct {
	*chooser
	*pairs
	wanted [][]int // the open pairs that each level is part of, by place in the order
}

func newGreedy(c *chooser, p *pairs) *greedy {
	g := &greedy{chooser: c, pairs: p}
	for _, size := range p.sizes {
		g.wanted = append(g.wanted, make([]int, size))
	}
	for i := range p.sizes {
		for j := i + 1; j < len(p.sizes); j++ {
			for a := range p.sizes[i] {
				for b := range p.sizes[j] {
					if p.can[p.at(i, a, j, b)] {
						g.wanted[i][a]++
						g.wanted[j][b]++
					}
				}
			}
		}
	}
	return g
}

// target fixes the level that most open pairs want and, of those open with it,
// the one that most want.
func (g *greedy) target() []int {
	fixed := make([]int, len(g.vars))
	for v := range fixed {
		fixed[v] = space.Free
	}
	i, a := g.most(func(int, int) bool { return true })
	j, b := g.most(func(j, b int) bool { return j != i && g.isOpen(i, a, j, b) })
	fixed[g.order[i]], fixed[g.order[j]] = a, b
	return fixed
}

// most returns the level that most open pairs want, of those that fit; the lot
// decides between equals.
func (g *greedy) most(fits func(i, a int) bool) (place, level int) {
	best, equals := 0, uint64(0)
	for i, wanted := range g.wanted {
		for a, n := range wanted {
			if n == 0 || n < best || !fits(i, a) {
				continue
			}
			if n > best {
				best, equals = n, 0
			}
			if equals++; g.lots.Below(equals) == 0 {
				place, level = i, a
			}
		}
	}
	return place, level
}

func (g *greedy) isOpen(i, a, j, b int) bool {
	if i > j {
		i, a, j, b = j, b, i, a
	}
	pair := g.at(i, a, j, b)
	return g.can[pair] && g.count[pair] == 0
}

// row returns the best of several treatments that have the fixed levels.
func (g *greedy) row(fixed []int) (best engine.Treatment) {
	allowed := g.space.Allows(fixed)
	most := -1
	for range candidates {
		t, gain := g.candidate(fixed, allowed)
		if gain > most {
			best, most = t, gain
		}
	}
	return best
}

// candidate makes a treatment level by level, each one such that it closes most
// pairs with those before it or, if equal, is wanted most.
func (g *greedy) candidate(fixed []int, allowed []bool) (t engine.Treatment, gain int) {
	t = make(engine.Treatment, len(g.vars))
	at := g.space.Root()
	for k, v := range g.order {
		var best space.Edge
		closes, wants, equals := -1, -1, uint64(0)
		for _, e := range g.space.EdgesOf(at) {
			if !allowed[e.Child] || fixed[v] != space.Free && fixed[v] != e.Level {
				continue
			}
			c, w := g.worth(t, k, e.Level)
			if c > closes || c == closes && w > wants {
				closes, wants, equals = c, w, 0
			}
			if c == closes && w == wants {
				if equals++; g.lots.Below(equals) == 0 {
					best = e
				}
			}
		}
		t[v], at, gain = best.Level, best.Child, gain+closes
	}
	return t, gain
}

// worth counts the open pairs that a level closes with the places before k, and
// those that want it at all.
func (g *greedy) worth(t engine.Treatment, k, level int) (closes, wants int) {
	if level == engine.Absent {
		return 0, 0
	}
	for i := range k {
		if a := t[g.order[i]]; a != engine.Absent && g.isOpen(i, a, k, level) {
			closes++
		}
	}
	return closes, g.wanted[k][level]
}

func (g *greedy) cover(row engine.Treatment) {
	for i, v := range g.order {
		for j := i + 1; j < len(g.order); j++ {
			a, b := row[v], row[g.order[j]]
			if a != engine.Absent && b != engine.Absent && g.isOpen(i, a, j, b) {
				g.wanted[i][a]--
				g.wanted[j][b]--
			}
		}
	}
	g.add(row, 1)
}

// prune leaves out rows whose pairs all occur in others.
func (g *greedy) prune(rows []engine.Treatment) (left []engine.Treatment) {
	for _, row := range rows {
		needed := false
		g.each(row, func(pair int) { needed = needed || g.count[pair] == 1 })
		if needed {
			left = append(left, row)
		} else {
			g.add(row, -1)
		}
	}
	return left
}

// withLoneLevels adds treatments for levels that occur with no other.
func (g *greedy) withLoneLevels(rows []engine.Treatment) []engine.Treatment {
	seen := levelsOf(g.vars, rows)
	for v, balance := range g.space.Balances() {
		for level, count := range balance.Levels {
			if count.Sign() > 0 && !seen[v][level] {
				fixed := make([]int, len(g.vars))
				for w := range fixed {
					fixed[w] = space.Free
				}
				fixed[v] = level
				row := g.row(fixed)
				rows = append(rows, row)
				seen = levelsOf(g.vars, rows)
			}
		}
	}
	if len(rows) == 0 {
		rows = append(rows, g.kth(0))
	}
	return rows
}

// levelsOf notes which levels occur in some treatments.
func levelsOf(vars []engine.Variable, treatments []engine.Treatment) [][]bool {
	seen := make([][]bool, len(vars))
	for v := range vars {
		seen[v] = make([]bool, len(vars[v].Levels))
		for _, t := range treatments {
			if t[v] != engine.Absent {
				seen[v][t[v]] = true
			}
		}
	}
	return seen
}
