package space

import "mpf/engine"

// A step is what there is to do when the variable of a layer is set.
type step struct {
	variable   int
	dependants []dependant
	links      []int
	folds      []*asker
	live       []int // the slots that matter afterwards
}

// A dependant is a variable that is absent unless the level is one of those
// that it asks for.
type dependant struct {
	variable int
	asks     map[int]bool
}

func (c *compiler) stepAt(k int) step {
	v := c.order[k]
	s := step{variable: v, live: c.liveAfter(k)}
	for w, other := range c.rules.Variables {
		for _, when := range other.When {
			if when.Variable == v {
				s.dependants = append(s.dependants, newDependant(w, when))
			}
		}
	}
	for i, g := range c.groups {
		for _, layer := range g.layer {
			if layer == k {
				s.links = append(s.links, i)
			}
		}
	}
	for _, a := range c.askers {
		if a.fold == k {
			s.folds = append(s.folds, a)
		}
	}
	return s
}

func newDependant(variable int, when engine.Condition) dependant {
	d := dependant{variable, map[int]bool{}}
	for _, level := range when.Levels {
		d.asks[level] = true
	}
	return d
}

// liveAfter lists the slots that can differ between states after layer k and
// still matter.
func (c *compiler) liveAfter(k int) []int {
	matters := make([]bool, 2*len(c.order)+len(c.groups))
	for w, v := range c.rules.Variables {
		for _, when := range v.When {
			if c.layer[w] > k && c.layer[when.Variable] <= k {
				matters[w] = true
			}
		}
	}
	for _, a := range c.askers {
		if a.last != engine.Absent && a.fold <= k && c.layer[a.last] > k {
			matters[a.last] = true
		}
		for _, v := range a.others {
			if a.fold > k && c.layer[v] <= k {
				matters[c.levelSlot(v)] = true
			}
		}
	}
	for i, g := range c.groups {
		if g.first <= k && g.final > k {
			matters[c.rowsSlot(i)] = true
		}
	}
	var live []int
	for slot, m := range matters {
		if m {
			live = append(live, slot)
		}
	}
	return live
}
