package design

import (
	"fmt"
	"slices"
	"sort"
	"sync"

	"mpf/engine"
	"mpf/engine/order"
	"mpf/engine/space"
)

const (
	purpose  = "mpf-order-1" // of the keys
	maxPlots = 1 << 20

	// Orders of blocks, and of plots in a block, are kept: as many as hold
	// about keptNumbers numbers, but some at least and not too many.
	keptNumbers         = 1 << 23
	leastKept, mostKept = 4, 256
)

// orders gives each block its order. A few are kept, as making one may take
// milliseconds.
type orders struct {
	count    uint64
	seed     uint64
	declared bool
	plots    []space.Plot // nil: the block is one plot
	mutex    sync.Mutex
	kept     []*blockOrder // the newest last
}

func (d *Design) newOrders() (*orders, error) {
	e := d.experiment
	o := &orders{count: d.count, seed: uint64(e.Seed), declared: e.Order == engine.Declared}
	if d.space.Lead() == 0 {
		return o, nil
	}
	if d.choice != nil {
		o.plots = d.space.PlotsOf(d.choice.Treatments)
		return o, nil
	}
	plots, ok := d.space.Plots(maxPlots)
	if !ok {
		v := e.Variables[d.space.Order()[d.space.Lead()-1]]
		return nil, engine.Mistakes{{Pos: v.Pos,
			Message: fmt.Sprintf("variable %q: the hard-to-change variables have more than %d combinations", v.Name, maxPlots),
			Hint:    "take hard_to_change from one of them"}}
	}
	o.plots = plots
	return o, nil
}

func (o *orders) block(b int) *blockOrder {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	i := slices.IndexFunc(o.kept, func(k *blockOrder) bool { return k.block == b })
	if i >= 0 {
		return o.kept[i]
	}
	made := o.make(b)
	o.kept = append(newest(o.kept, o.count), made)
	return made
}

// newest leaves the newest of what is kept, so that there is room for one more
// with so many numbers in it.
func newest[T any](kept []T, numbers uint64) []T {
	most := min(max(keptNumbers/max(1, numbers), leastKept), mostKept)
	if uint64(len(kept)) < most {
		return kept
	}
	return kept[1:]
}

func (o *orders) make(b int) *blockOrder {
	made := &blockOrder{block: b, seed: o.seed}
	switch {
	case o.declared:
		made.one = order.Same(o.count)
	case o.plots == nil:
		made.one = order.New(o.count, order.KeyOf(purpose, o.seed, uint64(b)))
	default:
		made.nest(o.plots, 0)
		made.byRank = make([]int, len(made.plots))
		for i := range made.byRank {
			made.byRank[i] = i
		}
		sort.Slice(made.byRank, func(i, j int) bool {
			return made.plots[made.byRank[i]].First < made.plots[made.byRank[j]].First
		})
	}
	return made
}

// A blockOrder is the order of one block: one permutation, or one within each
// of its plots.
type blockOrder struct {
	block  int
	seed   uint64
	one    *order.Permutation
	plots  []plot
	byRank []int // indices of plots, by First
	mutex  sync.Mutex
	kept   []keptPlot // the newest last
}

// A plot at its place in the block.
type plot struct {
	space.Plot
	at uint64
}

type keptPlot struct {
	plot  int
	order *order.Permutation
}

// nest appends the plots that agree in the leading variables before depth:
// those of each level together, the levels in an order of their own.
func (o *blockOrder) nest(plots []space.Plot, depth int) {
	if depth == len(plots[0].Levels) {
		at := uint64(0)
		if n := len(o.plots); n > 0 {
			at = o.plots[n-1].at + o.plots[n-1].Size
		}
		o.plots = append(o.plots, plot{plots[0], at})
		return
	}
	var groups [][]space.Plot
	for i := range plots {
		if i == 0 || plots[i].Levels[depth] != plots[i-1].Levels[depth] {
			groups = append(groups, nil)
		}
		groups[len(groups)-1] = append(groups[len(groups)-1], plots[i])
	}
	key := order.KeyOf(purpose+" plots", o.seed, uint64(o.block), uint64(depth), plots[0].First)
	shuffled := order.New(uint64(len(groups)), key)
	for i := range groups {
		o.nest(groups[shuffled.At(uint64(i))], depth+1)
	}
}

// at returns the rank of the i-th treatment of the block.
func (o *blockOrder) at(i uint64) uint64 {
	if o.one != nil {
		return o.one.At(i)
	}
	n := sort.Search(len(o.plots), func(n int) bool { return o.plots[n].at > i }) - 1
	return o.plots[n].First + o.within(n).At(i-o.plots[n].at)
}

// place is the inverse of at.
func (o *blockOrder) place(rank uint64) uint64 {
	if o.one != nil {
		return o.one.Place(rank)
	}
	n := sort.Search(len(o.byRank), func(n int) bool { return o.plots[o.byRank[n]].First > rank }) - 1
	n = o.byRank[n]
	return o.plots[n].at + o.within(n).Place(rank-o.plots[n].First)
}

// within returns the order within a plot.
func (o *blockOrder) within(n int) *order.Permutation {
	o.mutex.Lock()
	defer o.mutex.Unlock()
	for i := len(o.kept) - 1; i >= 0; i-- {
		if o.kept[i].plot == n {
			return o.kept[i].order
		}
	}
	p := order.New(o.plots[n].Size, order.KeyOf(purpose, o.seed, uint64(o.block), o.plots[n].First))
	o.kept = append(newest(o.kept, o.plots[n].Size), keptPlot{n, p})
	return p
}
