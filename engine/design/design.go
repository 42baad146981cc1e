package design

import (
	"fmt"
	"iter"
	"math"
	"math/big"

	"mpf/engine"
	"mpf/engine/partial"
	"mpf/engine/space"
)

// A Design is the runs of an experiment in their order. Its methods may be
// called from several goroutines.
type Design struct {
	experiment *engine.Experiment
	space      *space.Space
	choice     *partial.Choice // of a partial design, or nil
	ids        *engine.Identifier
	count      uint64 // treatments
	repeats    repeats
	blocks     []uint64 // how many treatments each has
	order      *orders
	stops      *stops
	warnings   []engine.Mistake
	part       set   // the ranks that a restriction leaves, or nil for all
	limit      int64 // of runs, or negative for none
}

// New makes the design of an experiment. What the user can mend comes back as
// engine.Mistakes.
func New(e *engine.Experiment) (*Design, error) {
	d := &Design{experiment: e, limit: -1, ids: engine.NewIdentifier(e.Name, e.Seed, e.Variables)}
	var err error
	if d.space, err = space.Compile(space.RulesOf(e)); err != nil {
		return nil, err
	}
	if err := d.checkEmpty(); err != nil {
		return nil, err
	}
	if err := d.choose(); err != nil {
		return nil, err
	}
	if d.stops, err = newStops(e); err != nil {
		return nil, err
	}
	if d.repeats, err = newRepeats(e); err != nil {
		return nil, err
	}
	if err := d.checkSize(); err != nil {
		return nil, err
	}
	if d.blocks, err = d.sizes(); err != nil {
		return nil, err
	}
	if d.order, err = d.newOrders(); err != nil {
		return nil, err
	}
	d.warnings = d.doubts()
	return d, nil
}

func (d *Design) checkEmpty() error {
	if d.space.Big().Sign() > 0 {
		return nil
	}
	m := engine.Mistake{Message: "no treatment is left: the rules exclude them all", Hint: "take a rule out, or narrow it"}
	switch {
	case len(d.experiment.Exclusions) > 0:
		m.Pos = d.experiment.Exclusions[0].Pos
	case len(d.experiment.Links) > 0:
		m.Pos = d.experiment.Links[0].Pos
	}
	return engine.Mistakes{m}
}

// choose settles which treatments the design has.
func (d *Design) choose() (err error) {
	if d.experiment.Partial == nil {
		d.count, _ = d.space.Count()
		return nil
	}
	d.choice, err = partial.Choose(d.space, *d.experiment.Partial, d.experiment.Seed)
	if err == nil {
		d.count = uint64(len(d.choice.Treatments))
	}
	return err
}

func (d *Design) checkSize() error {
	treatments := d.space.Big()
	if d.choice != nil {
		treatments.SetUint64(d.count)
	}
	runs := new(big.Int).Mul(treatments, big.NewInt(int64(d.repeats.most())))
	if runs.Cmp(big.NewInt(math.MaxInt64)) <= 0 {
		return nil
	}
	return engine.Mistakes{{
		Message: fmt.Sprintf("experiment %q: %s treatments in %d replicates are more runs than can be numbered (%d)",
			d.experiment.Name, treatments, d.repeats.most(), int64(math.MaxInt64)),
		Hint: `take part of the space: sample(1000, "random")`}}
}

// Experiment returns what the design was made of.
func (d *Design) Experiment() *engine.Experiment { return d.experiment }

// Space returns the space that the treatments are from.
func (d *Design) Space() *space.Space { return d.space }

// Choice says which part of the space a partial design takes; nil for all.
func (d *Design) Choice() *partial.Choice { return d.choice }

// Warnings returns what is doubtful about the design, with positions.
func (d *Design) Warnings() []engine.Mistake { return d.warnings }

// Treatments returns the number of treatments; those of a restriction only.
func (d *Design) Treatments() uint64 {
	if d.part != nil {
		return d.part.size()
	}
	return d.count
}

// Blocks returns the number of blocks, which stopping rules may not exhaust.
func (d *Design) Blocks() int { return len(d.blocks) }

// Runs returns the number of runs, which stopping rules may not exhaust.
func (d *Design) Runs() int64 {
	runs := d.runsBefore(len(d.blocks) + 1)
	if d.limit >= 0 {
		runs = min(runs, d.limit)
	}
	return runs
}

// runsBefore returns the number of runs before a block, its limit aside.
func (d *Design) runsBefore(b int) (runs int64) {
	for _, size := range d.blocks[:b-1] {
		runs += int64(size)
	}
	return runs
}

// Run returns the run at a position of the whole design, from 0 up to its last
// block. Where
// treatments have numbers of replicates of their own, each block keeps a place
// for every treatment, and the run there may not be part of the design:
// Contains tells.
func (d *Design) Run(position int64) engine.Run {
	block := int(position/int64(d.count)) + 1
	o := d.order.block(block)
	return d.run(o, block, uint64(position%int64(d.count)))
}

// run returns the i-th run of a block.
func (d *Design) run(o *blockOrder, block int, i uint64) engine.Run {
	r := engine.Run{
		Treatment: make(engine.Treatment, len(d.experiment.Variables)),
		Rank:      o.at(i),
		Replicate: block,
		Block:     block,
		Position:  int64(block-1)*int64(d.count) + int64(i),
	}
	d.treatment(r.Rank, r.Treatment)
	r.ID = d.ids.Identify(r.Treatment, r.Replicate)
	return r
}

// treatment writes the treatment of a rank into t.
func (d *Design) treatment(rank uint64, t engine.Treatment) {
	if d.choice != nil {
		copy(t, d.choice.Treatments[rank])
		return
	}
	d.space.Kth(rank, t)
}

// rank is the inverse of treatment; ok is false for one that the design does
// not have.
func (d *Design) rank(t engine.Treatment) (rank uint64, ok bool) {
	if d.choice != nil {
		return d.choice.Rank(t)
	}
	return d.space.Rank(t)
}

// Find returns the run of a treatment and replicate; ok is false if the whole
// design has none.
func (d *Design) Find(t engine.Treatment, replicate int) (run engine.Run, ok bool) {
	rank, ok := d.rank(t)
	if !ok || replicate < 1 || replicate > d.repeats.of(t) {
		return engine.Run{}, false
	}
	o := d.order.block(replicate)
	return d.run(o, replicate, o.place(rank)), true
}

// Contains reports whether a run that Run or Find gave belongs to the design,
// or to a restriction of it, its limit aside.
func (d *Design) Contains(run engine.Run) bool {
	return run.Replicate <= d.repeats.of(run.Treatment) && (d.part == nil || d.part.has(run.Rank))
}

// First yields the first n runs in their order.
func (d *Design) First(n int64) iter.Seq[engine.Run] {
	return func(yield func(engine.Run) bool) {
		left := n
		for b := 1; b <= d.Blocks() && left > 0; b++ {
			for run := range d.Block(b) {
				if left == 0 || !yield(run) {
					return
				}
				left--
			}
		}
	}
}

// Block yields the runs of a block, counted from 1, in their order. Treatments
// that were settled in an earlier block are left out.
func (d *Design) Block(b int) iter.Seq[engine.Run] { return d.Without(b, engine.Places{}) }

// Without yields the runs of a block as Block does, but for those at some
// places, which cost next to nothing.
func (d *Design) Without(b int, over engine.Places) iter.Seq[engine.Run] {
	return func(yield func(engine.Run) bool) {
		for run := range d.whole(b, over) {
			if !d.stops.settled(run.Rank, b) && !yield(run) {
				return
			}
		}
	}
}

// whole yields the runs of a block, settled or not, but for those at some places.
func (d *Design) whole(b int, over engine.Places) iter.Seq[engine.Run] {
	return func(yield func(engine.Run) bool) {
		first := int64(b-1) * int64(d.count)
		if b < 1 || b > len(d.blocks) || over.HasAll(engine.PlaceRange{First: first, End: first + int64(d.count)}) {
			return
		}
		left := int64(-1)
		if d.limit >= 0 {
			left = max(0, d.limit-d.runsBefore(b))
		}
		o := d.order.block(b)
		for i := range d.places(o) {
			if left == 0 {
				return
			}
			if over.Has(first + int64(i)) {
				left--
				continue
			}
			run := d.run(o, b, i)
			if len(d.repeats.rules) > 0 && d.repeats.of(run.Treatment) < b {
				continue
			}
			left--
			if !yield(run) {
				return
			}
		}
	}
}
