package space

// Restrict returns the part of the space in which each variable has one of the
// levels that are true. A nil list keeps all levels of its variable, and its
// absence.
func (s *Space) Restrict(only [][]bool) *Space {
	b := newBuilder(s.vars, s.order, s.lead)
	made := make([]Node, len(s.nodes))
	made[end] = end
	depth := int32(-1)
	var edges []Edge
	for n := int(end) + 1; n < len(s.nodes); n++ {
		at := &s.nodes[n]
		if at.depth != depth {
			depth, b.ids = at.depth, map[string]Node{}
		}
		keep := only[s.order[depth]]
		edges = edges[:0]
		for _, e := range s.out(Node(n)) {
			if keep == nil || e.level >= 0 && keep[e.level] {
				edges = append(edges, Edge{int(e.level), made[e.child]})
			}
		}
		made[n] = b.add(int(depth), edges)
	}
	return b.finish(made[s.root])
}
