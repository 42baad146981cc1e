package space

import (
	"fmt"

	"mpf/engine"
)

// The bounds of the work that one compilation may take.
const (
	maxAsked    = 1 << 20 // questions to one exclusion
	maxAskedAll = 1 << 21 // and to all of them
	maxEdges    = 1 << 21
)

// A compiler builds the diagram from the first layer to the last. A state is
// what still matters after some variables are set, as numbers in slots: for
// each variable to come the set of outcomes it is left with, for each one set
// the level that an exclusion waits for, for each link the rows that are left.
type compiler struct {
	rules   Rules
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

// A state in its wide form has a number for every slot: the set of each
// variable, then level+1 of each variable, then the rows of each link.
type wide []uint32

func (c *compiler) levelSlot(variable int) int { return len(c.order) + variable }
func (c *compiler) rowsSlot(group int) int     { return 2*len(c.order) + group }

// Compile builds the space that the rules describe. What the user can mend
// comes back as engine.Mistakes.
func Compile(rules Rules) (*Space, error) {
	if err := rules.check(); err != nil {
		return nil, err
	}
	c := &compiler{rules: rules}
	c.order, c.lead = arrange(rules)
	c.prepare()
	layers, err := c.build()
	if err != nil {
		return nil, err
	}
	return reduce(rules.Variables, c.order, c.lead, layers), nil
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

// advance sets the variable of layer k in every state of it.
func (c *compiler) advance(k int, live []int, now *layer) (*layer, error) {
	b := &advancer{compiler: c, step: c.steps[k], now: now, next: &layer{states: newStates(len(c.steps[k].live))},
		before: make(wide, 2*len(c.order)+len(c.groups)),
		after:  make(wide, 2*len(c.order)+len(c.groups)),
		t:      make(engine.Treatment, len(c.order))}
	for i := range now.states.count {
		now.first = append(now.first, uint32(len(now.edges)))
		for j, number := range now.states.at(i) {
			b.before[live[j]] = number
		}
		if err := b.expand(); err != nil {
			return nil, err
		}
	}
	now.first = append(now.first, uint32(len(now.edges)))
	if c.edges += len(now.edges); c.edges > maxEdges {
		return nil, c.tooLarge(k)
	}
	return b.next, nil
}

// An advancer makes the edges of one layer.
type advancer struct {
	*compiler
	step
	now, next     *layer
	before, after wide
	t             engine.Treatment
	state         []uint32
}

// expand adds the edges of the state in before.
func (b *advancer) expand() (err error) {
	n := len(b.order)
	for v := range b.t {
		b.t[v] = int(b.before[n+v]) - 1
	}
	b.domains[b.variable].each(b.before[b.variable], func(level int) bool {
		copy(b.after, b.before)
		var ok bool
		if ok, err = b.set(level); ok {
			b.now.edges = append(b.now.edges, rawEdge{int32(level), b.arrive()})
		}
		if b.edges+len(b.now.edges) > maxEdges && err == nil {
			err = b.tooLarge(b.layer[b.variable])
		}
		return err == nil
	})
	return err
}

// set makes of the state in after the one in which the variable has a level;
// ok is false if no treatment is left.
func (b *advancer) set(level int) (ok bool, err error) {
	b.t[b.variable] = level
	b.after[b.levelSlot(b.variable)] = uint32(level + 1)
	for _, d := range b.dependants {
		if !d.asks[level] {
			b.after[d.variable] = gone
		}
	}
	for _, g := range b.links {
		slot := b.rowsSlot(g)
		b.after[slot] = b.groups[g].set(b.after[slot], b.variable, level)
		if b.after[slot] == nothing {
			return false, nil
		}
	}
	for _, a := range b.folds {
		if ok, err := b.fold(a, b.t, b.after); err != nil || !ok {
			return false, err
		}
	}
	return true, nil
}

// arrive returns the place of the state in after among those of the next layer.
func (b *advancer) arrive() uint32 {
	b.state = narrow(b.after, b.live, b.state[:0])
	return b.next.states.add(b.state)
}

// tooLarge blames the exclusion that keeps the most combinations apart at a
// layer.
func (c *compiler) tooLarge(k int) error {
	var worst *asker
	var most uint64
	for _, a := range c.askers {
		open := uint64(0)
		for _, v := range a.others {
			if a.fold >= k && c.layer[v] <= k {
				open = times(max(open, 1), uint64(len(c.rules.Variables[v].Levels)))
			}
		}
		if open > most {
			worst, most = a, open
		}
	}
	if worst == nil {
		v := c.rules.Variables[c.order[k]]
		return engine.Mistakes{{Pos: v.Pos,
			Message: fmt.Sprintf("variable %q: the diagram of the space would have more than %d edges", v.Name, maxEdges),
			Hint:    "link fewer rows, or vary fewer levels"}}
	}
	return worst.tooWide(c.rules.Declared)
}
