package space

import (
	"encoding/binary"
	"math"
	"math/bits"

	"mpf/engine"
)

// A builder makes a diagram from its end to its start. Nodes of a layer that
// lead to the same nodes by the same levels are one.
type builder struct {
	space Space
	ids   map[string]Node // of the layer being built
	key   []byte
}

// reduce turns the layers of the compiler into a diagram without dead ends.
func reduce(vars []engine.Variable, order []int, lead int, layers []*layer) *Space {
	b := newBuilder(vars, order, lead)
	below := make([]Node, layers[len(order)].states.count)
	for i := range below {
		below[i] = end
	}
	for k := len(order) - 1; k >= 0; k-- {
		below = b.addLayer(k, layers[k], below)
		layers[k] = nil
	}
	root := dead
	if len(below) > 0 {
		root = below[0]
	}
	return b.finish(root)
}

func newBuilder(vars []engine.Variable, order []int, lead int) *builder {
	b := &builder{space: Space{vars: vars, order: order, lead: lead}}
	b.space.nodes = []node{dead: {depth: int32(len(order))}, end: {depth: int32(len(order)), count: 1}}
	return b
}

func (b *builder) addLayer(k int, l *layer, below []Node) []Node {
	b.ids = map[string]Node{}
	nodes := make([]Node, len(l.first)-1)
	var edges []Edge
	for i := range nodes {
		edges = edges[:0]
		for _, e := range l.edges[l.first[i]:l.first[i+1]] {
			edges = append(edges, Edge{int(e.level), below[e.child]})
		}
		nodes[i] = b.add(k, edges)
	}
	return nodes
}

// add returns the node of layer k that has these edges; edges to dead ends do
// not count.
func (b *builder) add(k int, edges []Edge) Node {
	b.key = b.key[:0]
	for _, e := range edges {
		if e.Child != dead {
			b.key = binary.LittleEndian.AppendUint32(b.key, uint32(e.Level))
			b.key = binary.LittleEndian.AppendUint32(b.key, uint32(e.Child))
		}
	}
	if len(b.key) == 0 {
		return dead
	}
	id, ok := b.ids[string(b.key)]
	if !ok {
		id = b.insert(k, edges)
		b.ids[string(b.key)] = id
	}
	return id
}

func (b *builder) insert(k int, edges []Edge) Node {
	s := &b.space
	n := node{depth: int32(k), first: uint32(len(s.edges)), even: true}
	child := dead
	for _, e := range edges {
		if e.Child == dead {
			continue
		}
		n.even = n.even && (child == dead || child == e.Child)
		child = e.Child
		s.edges = append(s.edges, edge{level: int32(e.Level), child: e.Child, before: n.count})
		n.count = plus(n.count, s.nodes[child].count)
		n.size++
	}
	if n.even {
		n.divide = newDivisor(s.nodes[child].count)
		n.dense = int(s.edges[n.first].level) == 0 && int(s.edges[len(s.edges)-1].level) == int(n.size)-1
	}
	s.nodes = append(s.nodes, n)
	return Node(len(s.nodes) - 1)
}

func (b *builder) finish(root Node) *Space {
	s := &b.space
	s.root = root
	if s.nodes[root].count == math.MaxUint64 {
		s.countLarge()
	}
	s.findPlain()
	return s
}

// plus adds, and stays at the largest number where that is exceeded.
func plus(a, b uint64) uint64 {
	sum, carry := bits.Add64(a, b, 0)
	if carry != 0 {
		return math.MaxUint64
	}
	return sum
}

// A divisor divides by a number that is known beforehand.
type divisor struct {
	by, reciprocal uint64
}

func newDivisor(by uint64) divisor {
	if by == 0 {
		return divisor{}
	}
	if by == 1 {
		return divisor{1, math.MaxUint64}
	}
	reciprocal, _ := bits.Div64(1, 0, by)
	return divisor{by, reciprocal}
}

// divide returns k/by and k%by. The reciprocal, rounded down, gives the
// quotient or one less.
func (d divisor) divide(k uint64) (quotient, rest uint64) {
	quotient, _ = bits.Mul64(k, d.reciprocal)
	rest = k - quotient*d.by
	if rest >= d.by {
		quotient++
		rest -= d.by
	}
	return quotient, rest
}
