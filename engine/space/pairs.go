package space

// Free stands in a list of levels for a variable that may have any, or none.
const Free = -2

// Together reports, for one level of a variable, which levels of the variables
// behind it in the order can occur with it; nil for the others.
func (s *Space) Together(variable, level int) [][]bool {
	seen := make([][]bool, len(s.vars))
	reached := make([]bool, len(s.nodes))
	passed := false
	for n := len(s.nodes) - 1; n > int(end); n-- {
		v := s.Variable(Node(n))
		switch {
		case v == variable:
			passed = true
			if e := s.edge(Node(n), level); e != nil {
				reached[e.child] = true
			}
		case passed && reached[n]:
			s.reach(Node(n), v, seen, reached)
		}
	}
	return seen
}

func (s *Space) reach(n Node, v int, seen [][]bool, reached []bool) {
	if seen[v] == nil {
		seen[v] = make([]bool, len(s.vars[v].Levels))
	}
	for _, e := range s.out(n) {
		reached[e.child] = true
		if e.level >= 0 {
			seen[v][e.level] = true
		}
	}
}

// Allows reports for each node whether a treatment with the levels that are not
// Free goes on from it.
func (s *Space) Allows(levels []int) []bool {
	ok := make([]bool, len(s.nodes))
	ok[end] = true
	for n := int(end) + 1; n < len(s.nodes); n++ {
		want := levels[s.Variable(Node(n))]
		if want != Free {
			e := s.edge(Node(n), want)
			ok[n] = e != nil && ok[e.child]
			continue
		}
		for _, e := range s.out(Node(n)) {
			if ok[e.child] {
				ok[n] = true
				break
			}
		}
	}
	return ok
}
