package space

import "mpf/engine"

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
	if c.edges += len(now.edges); c.edges > c.limits.edges {
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
		if b.edges+len(b.now.edges) > b.limits.edges && err == nil {
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
