package space

import (
	"math"
	"math/big"
	"slices"
	"sort"

	"mpf/engine"
)

// A Space is a compiled set of treatments. It does not change and may be used
// from several goroutines.
type Space struct {
	vars  []engine.Variable
	order []int // layer -> variable
	idle  []int // exclusions that exclude nothing
	lead  int   // variables at the front by Rules.First
	nodes []node
	edges []edge
	root  Node
	plain []lump     // of a plain product, or nil
	large []*big.Int // the count of each node, where the whole exceeds 64 bits
}

// A Node is a place in the diagram.
type Node uint32

const (
	dead Node = iota // no treatment
	end              // every variable is set
)

// An Edge sets the variable of its node to a level, or to engine.Absent.
type Edge struct {
	Level int
	Child Node
}

type node struct {
	count  uint64 // treatments below; the largest number if there are more
	divide divisor
	first  uint32 // of its edges, which are sorted by level
	size   uint32
	depth  int32
	even   bool // all edges lead to one node: divide is by its count
	dense  bool // and they are the levels from 0
}

type edge struct {
	before uint64 // treatments below the edges before it
	level  int32
	child  Node
}

// Count returns the number of treatments; ok is false if it exceeds 64 bits,
// and then the space has no ranks.
func (s *Space) Count() (n uint64, ok bool) {
	return s.nodes[s.root].count, s.large == nil
}

// Variables returns the variables of the space in the order of declaration.
func (s *Space) Variables() []engine.Variable { return s.vars }

// Order returns the variables in the order in which ranks follow them.
func (s *Space) Order() []int { return s.order }

// Lead returns how many variables stand at the front of the order because of
// Rules.First.
func (s *Space) Lead() int { return s.lead }

// Idle lists the exclusions, by index, that exclude nothing that the other
// rules leave.
func (s *Space) Idle() []int { return s.idle }

// Size returns how large the diagram is.
func (s *Space) Size() (nodes, edges int) { return len(s.nodes), len(s.edges) }

// Root is where a walk through the diagram starts.
func (s *Space) Root() Node { return s.root }

// Ends reports whether all variables are set at n.
func (s *Space) Ends(n Node) bool { return n <= end }

// Variable returns the variable that is set at n.
func (s *Space) Variable(n Node) int { return s.order[s.nodes[n].depth] }

// Below returns the number of treatments that go on from n, or the largest
// number if there are more than it can say.
func (s *Space) Below(n Node) uint64 { return s.nodes[n].count }

// EdgesOf returns the ways on from n, sorted by level. Each leads to a
// treatment.
func (s *Space) EdgesOf(n Node) []Edge {
	edges := make([]Edge, 0, s.nodes[n].size)
	for _, e := range s.out(n) {
		edges = append(edges, Edge{int(e.level), e.child})
	}
	return edges
}

func (s *Space) out(n Node) []edge {
	at := &s.nodes[n]
	return s.edges[at.first : at.first+at.size]
}

// Kth writes the treatment of rank k, below Count, into t.
func (s *Space) Kth(k uint64, t engine.Treatment) {
	if s.plain != nil {
		s.kthPlain(k, t)
		return
	}
	n := s.root
	for _, v := range s.order {
		at := &s.nodes[n]
		var i uint64
		if at.even {
			i, k = at.divide.divide(k)
			if at.dense {
				t[v] = int(i)
				n = s.edges[at.first].child
				continue
			}
		} else {
			i = uint64(at.find(s.edges, k))
			k -= s.edges[at.first+uint32(i)].before
		}
		e := &s.edges[at.first+uint32(i)]
		t[v] = int(e.level)
		n = e.child
	}
}

// find returns the last edge before which there are at most k treatments.
func (n *node) find(edges []edge, k uint64) int {
	out := edges[n.first : n.first+n.size]
	if len(out) > 16 {
		return sort.Search(len(out), func(i int) bool { return out[i].before > k }) - 1
	}
	i := 1
	for i < len(out) && out[i].before <= k {
		i++
	}
	return i - 1
}

// Rank returns the rank of a treatment; ok is false if the space does not hold
// it or has no ranks.
func (s *Space) Rank(t engine.Treatment) (k uint64, ok bool) {
	if s.large != nil || len(t) != len(s.order) {
		return 0, false
	}
	n := s.root
	for _, v := range s.order {
		e := s.edge(n, t[v])
		if e == nil {
			return 0, false
		}
		k += e.before
		n = e.child
	}
	return k, n == end
}

// Contains reports whether the space holds a treatment.
func (s *Space) Contains(t engine.Treatment) bool {
	if len(t) != len(s.order) {
		return false
	}
	n := s.root
	for _, v := range s.order {
		e := s.edge(n, t[v])
		if e == nil {
			return false
		}
		n = e.child
	}
	return n == end
}

// edge returns the edge of n that sets a level, or nil.
func (s *Space) edge(n Node, level int) *edge {
	at := &s.nodes[n]
	out := s.edges[at.first : at.first+at.size]
	if at.dense {
		if level < 0 || level >= len(out) {
			return nil
		}
		return &out[level]
	}
	i, ok := slices.BinarySearchFunc(out, level, func(e edge, level int) int { return int(e.level) - level })
	if !ok {
		return nil
	}
	return &out[i]
}

// Big returns the number of treatments, however large.
func (s *Space) Big() *big.Int { return new(big.Int).Set(s.BigBelow(s.root)) }

// BigBelow is Below without a limit. The number must not be changed.
func (s *Space) BigBelow(n Node) *big.Int {
	if s.large != nil {
		return s.large[n]
	}
	return new(big.Int).SetUint64(s.nodes[n].count)
}

// countLarge counts again with big integers, if the machine words overflowed.
// A child is always made before its parents.
func (s *Space) countLarge() {
	large := make([]*big.Int, len(s.nodes))
	for n := range s.nodes {
		large[n] = new(big.Int)
		if Node(n) == end {
			large[n].SetInt64(1)
		}
		for _, e := range s.out(Node(n)) {
			large[n].Add(large[n], large[e.child])
		}
	}
	if most := new(big.Int).SetUint64(math.MaxUint64); large[s.root].Cmp(most) > 0 {
		s.large = large
	}
}
