package space

import (
	"fmt"

	"mpf/engine"
)

// limits bound the work that one compilation may take.
type limits struct {
	asked    int // questions to one exclusion
	askedAll int // and to all of them
	edges    int // of the diagram, dead ends included
}

// usual takes a second or two at most, if exclusions answer within a
// microsecond.
func usual() limits { return limits{asked: 1 << 20, askedAll: 1 << 21, edges: 1 << 21} }

// A compiler builds the diagram from the first layer to the last. A state is
// what still matters after some variables are set, as numbers in slots: for
// each variable to come the set of outcomes it is left with, for each one set
// the level that an exclusion waits for, for each link the rows that are left.
type compiler struct {
	rules   Rules
	limits  limits
	order   []int // layer -> variable
	lead    int
	layer   []int // variable -> layer
	domains []*domain
	groups  []*group
	askers  []*asker
	steps   []step
	edges   int
	asked   int
}

// A state in its wide form has a number for every slot: the set of each
// variable, then level+1 of each variable, then the rows of each link.
type wide []uint32

func (c *compiler) levelSlot(variable int) int { return len(c.order) + variable }
func (c *compiler) rowsSlot(group int) int     { return 2*len(c.order) + group }

// Compile builds the space that the rules describe. What the user can mend
// comes back as engine.Mistakes.
func Compile(rules Rules) (*Space, error) { return compile(rules, usual()) }

func compile(rules Rules, l limits) (*Space, error) {
	if err := rules.check(); err != nil {
		return nil, err
	}
	c := &compiler{rules: rules, limits: l}
	c.order, c.lead = arrange(rules)
	c.prepare()
	layers, err := c.build()
	if err != nil {
		return nil, err
	}
	s := reduce(rules.Variables, c.order, c.lead, layers)
	for i, a := range c.askers {
		if a.hits == 0 {
			s.idle = append(s.idle, i)
		}
	}
	return s, nil
}

func (c *compiler) prepare() {
	c.layer = make([]int, len(c.order))
	for k, v := range c.order {
		c.layer[v] = k
	}
	for _, v := range c.rules.Variables {
		c.domains = append(c.domains, newDomain(len(v.Levels)))
	}
	for _, link := range c.rules.Links {
		c.groups = append(c.groups, c.newGroup(link))
	}
	for _, x := range c.rules.Exclusions {
		c.askers = append(c.askers, c.newAsker(x))
	}
	for k := range c.order {
		c.steps = append(c.steps, c.stepAt(k))
	}
}

// A layer holds the states before a variable is set and, once that is done,
// the edges that lead on from each.
type layer struct {
	states *states  // the live slots of each
	first  []uint32 // of each state's edges; one more at the end
	edges  []rawEdge
}

type rawEdge struct {
	level int32
	child uint32
}

func (c *compiler) build() ([]*layer, error) {
	start, ok, err := c.start()
	if err != nil {
		return nil, err
	}
	live := c.liveAfter(-1)
	now := &layer{states: newStates(len(live))}
	if ok {
		now.states.add(start)
	}
	var layers []*layer
	for k := range c.steps {
		next, err := c.advance(k, live, now)
		if err != nil {
			return nil, err
		}
		layers = append(layers, now)
		now.states, now, live = nil, next, c.steps[k].live
	}
	return append(layers, now), nil
}

// start is the state before the first variable: exclusions over one variable,
// or none, have been asked.
func (c *compiler) start() (state []uint32, ok bool, err error) {
	w := make(wide, 2*len(c.order)+len(c.groups))
	t := make(engine.Treatment, len(c.order))
	for _, a := range c.askers {
		switch {
		case a.last == engine.Absent:
			out, err := a.ask(c, t)
			if err != nil || out {
				return nil, false, err
			}
		case a.fold < 0:
			if ok, err := c.fold(a, t, w); err != nil || !ok {
				return nil, false, err
			}
		}
	}
	return narrow(w, c.liveAfter(-1), nil), true, nil
}

// fold takes from the last variable of an exclusion what is excluded now.
func (c *compiler) fold(a *asker, t engine.Treatment, w wide) (ok bool, err error) {
	w[a.last], err = a.restrict(c, t, w[a.last])
	return w[a.last] != nothing, err
}

func narrow(w wide, live []int, into []uint32) []uint32 {
	for _, slot := range live {
		into = append(into, w[slot])
	}
	return into
}

// tooLarge blames the exclusion that keeps the most combinations apart at a
// layer.
func (c *compiler) tooLarge(k int) error {
	var worst *asker
	var most uint64
	var set int
	for _, a := range c.askers {
		if open, n := c.awaits(a, k); open > most {
			worst, most, set = a, open, n
		}
	}
	if worst == nil {
		v := c.rules.Variables[c.order[k]]
		return engine.Mistakes{{Pos: v.Pos,
			Message: fmt.Sprintf("variable %q: the diagram of the space would have more than %d edges", v.Name, c.limits.edges),
			Hint:    "link fewer rows, or vary fewer levels"}}
	}
	return worst.tooWide(c, set)
}

// awaits counts the combinations that an exclusion may keep apart at a layer,
// and its variables that are set there.
func (c *compiler) awaits(a *asker, k int) (combinations uint64, set int) {
	for _, v := range a.others {
		if a.fold >= k && c.layer[v] <= k {
			combinations = times(max(combinations, 1), uint64(len(c.rules.Variables[v].Levels)))
			set++
		}
	}
	return combinations, set
}
