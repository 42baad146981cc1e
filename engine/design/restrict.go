package design

import (
	"fmt"
	"slices"

	"mpf/engine"
	"mpf/engine/order"
)

// A Restriction takes part of a design. Its parts apply in the order of the
// fields; what is empty restricts nothing.
type Restriction struct {
	Listed []engine.Treatment // these, such as ReadTreatments gives; nil for all

	Only   []string // variable=level, with more after commas; levels of one variable add up
	Sample uint64   // treatments, drawn by the seed; one sample holds every smaller one
	Shard  Shard
	Limit  int64 // runs, the first ones of the order
}

// A Shard is one of several equal ranges of ranks: 1/4 is the first of four.
type Shard struct{ Number, Of int }

// Restrict returns the part of the design that r asks for. Runs keep the ID,
// the block and the position that they have in the whole; the two designs share
// what was observed.
func (d *Design) Restrict(r Restriction) (*Design, error) {
	part := *d
	if part.part == nil {
		part.part = window{0, d.count}
	}
	if r.Listed != nil {
		if err := part.listed(r.Listed); err != nil {
			return nil, err
		}
	}
	if err := part.only(r.Only); err != nil {
		return nil, err
	}
	if r.Sample > 0 && r.Sample < part.part.size() {
		if r.Sample > listLimit {
			return nil, engine.Mistake{Message: fmt.Sprintf("--sample %d: at most %d treatments", r.Sample, listLimit)}
		}
		part.sample(r.Sample)
	}
	if err := part.shard(r.Shard); err != nil {
		return nil, err
	}
	part.resize()
	if r.Limit < 0 {
		return nil, engine.Mistake{Message: fmt.Sprintf("--limit %d: is negative", r.Limit)}
	}
	if r.Limit > 0 && (part.limit < 0 || r.Limit < part.limit) {
		part.limit = r.Limit
	}
	return &part, nil
}

// listed keeps the treatments of a list.
func (d *Design) listed(treatments []engine.Treatment) error {
	var left list
	for _, t := range treatments {
		rank, ok := d.rank(t)
		if !ok {
			return engine.Mistake{Message: fmt.Sprintf("treatment %q is not in the design: %s", t.Format(d.experiment.Variables), d.whyNot(t))}
		}
		if d.part.has(rank) {
			left = append(left, rank)
		}
	}
	slices.Sort(left)
	d.part = slices.Compact(left)
	return nil
}

// resize counts the treatments of each block again, if they can differ and are
// not too many; else it leaves each block as large as it may be.
func (d *Design) resize() {
	if len(d.repeats.rules) > 0 && d.part.size() <= listLimit {
		d.blocks = d.countSizes()
		return
	}
	d.blocks = slices.Clone(d.blocks)
	for b := range d.blocks {
		d.blocks[b] = min(d.blocks[b], d.part.size())
	}
}

// only keeps the treatments that have the levels asked for.
func (d *Design) only(words []string) error {
	if len(words) == 0 {
		return nil
	}
	keep, err := parseOnly(d.experiment.Variables, words)
	if err != nil {
		return err
	}
	sub := d.space.Restrict(keep)
	if all, ok := d.part.(window); ok && d.choice == nil && all.size() == d.count {
		count, _ := sub.Count()
		d.part = subspace{d.space, sub, window{0, count}}
	} else {
		d.filter(func(t engine.Treatment) bool { return sub.Contains(t) })
	}
	if d.part.size() == 0 {
		return engine.Mistake{Message: fmt.Sprintf("--only %q: no treatment of the design has these levels together", words),
			Hint: "see which there are: mpf plan"}
	}
	return nil
}

func (d *Design) filter(keep func(engine.Treatment) bool) {
	var left list
	t := make(engine.Treatment, len(d.experiment.Variables))
	for i := range d.part.size() {
		rank := d.part.at(i)
		if d.treatment(rank, t); keep(t) {
			left = append(left, rank)
		}
	}
	d.part = left
}

func (d *Design) sample(n uint64) {
	drawn := order.New(d.part.size(), order.KeyOf("mpf-sample-1", uint64(d.experiment.Seed)))
	left := make(list, n)
	for i := range left {
		left[i] = d.part.at(drawn.At(uint64(i)))
	}
	slices.Sort(left)
	d.part = left
}

func (d *Design) shard(s Shard) error {
	if s == (Shard{}) {
		return nil
	}
	if s.Number < 1 || s.Number > s.Of {
		return engine.Mistake{Message: fmt.Sprintf("--shard %d/%d: shards are counted from 1 to their number", s.Number, s.Of)}
	}
	d.part = cut(d.part, share(d.part.size(), s.Number-1, s.Of), share(d.part.size(), s.Number, s.Of))
	return nil
}

// share returns size*i/n, rounded down.
func share(size uint64, i, n int) uint64 {
	return size/uint64(n)*uint64(i) + size%uint64(n)*uint64(i)/uint64(n)
}
