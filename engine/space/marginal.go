package space

import "math/big"

// A Balance says how often a variable has each of its levels, and how often it
// is absent, over all treatments.
type Balance struct {
	Levels []*big.Int
	Absent *big.Int
}

// Balances counts the levels of every variable.
func (s *Space) Balances() []Balance {
	balances := make([]Balance, len(s.vars))
	for i, v := range s.vars {
		balances[i].Absent = new(big.Int)
		for range v.Levels {
			balances[i].Levels = append(balances[i].Levels, new(big.Int))
		}
	}
	ways := make([]*big.Int, len(s.nodes)) // from the root
	ways[s.root] = big.NewInt(1)
	for n := len(s.nodes) - 1; n > int(end); n-- {
		if ways[n] != nil {
			s.spread(Node(n), ways, &balances[s.Variable(Node(n))])
		}
	}
	return balances
}

// spread hands the ways that lead to a node on to those that follow it.
func (s *Space) spread(n Node, ways []*big.Int, b *Balance) {
	product := new(big.Int)
	for _, e := range s.out(n) {
		if ways[e.child] == nil {
			ways[e.child] = new(big.Int)
		}
		ways[e.child].Add(ways[e.child], ways[n])
		product.Mul(ways[n], s.BigBelow(e.child))
		if e.level < 0 {
			b.Absent.Add(b.Absent, product)
		} else {
			b.Levels[e.level].Add(b.Levels[e.level], product)
		}
	}
}
