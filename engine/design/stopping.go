package design

import (
	"fmt"
	"math"
	"slices"
	"sync"

	"mpf/engine"
)

// stops applies the stopping rules of an experiment.
type stops struct {
	rules   []engine.Stopping
	mutex   sync.Mutex
	seen    map[uint64]*observed // by rank
	endings map[uint64]int       // the block in which a treatment was settled
}

// observed are the results of one treatment.
type observed struct {
	treatment engine.Treatment
	readings  map[int][]float64 // by replicate: a number for each rule, NaN for none
}

func newStops(e *engine.Experiment) (*stops, error) {
	var found engine.Mistakes
	for _, r := range e.Stopping {
		wrong := func(what, hint string) {
			found = append(found, engine.Mistake{Pos: r.Pos, Message: fmt.Sprintf("until %q: %s", r.Result, what), Hint: hint})
		}
		if r.Max < 1 || r.Max < r.Min {
			wrong(fmt.Sprintf("max = %d is below min = %d", r.Max, r.Min), "max is the cap: give it a number that you can wait for")
		}
		if !(r.CI > 0) {
			wrong(fmt.Sprintf("ci = %g asks for an interval without width", r.CI), "ci = 0.05 asks for ±5 % of the median")
		}
		for _, column := range e.Results {
			if column.Name == r.Result && column.Type != engine.Int && column.Type != engine.Float {
				wrong(fmt.Sprintf("its type is %s, which has no median", column.Type), "name a result of type int or float")
			}
		}
	}
	return &stops{rules: e.Stopping, seen: map[uint64]*observed{}, endings: map[uint64]int{}}, found.Err()
}

// Observe notes the results of a run that ended ok. Observing a run again
// replaces what was noted.
func (d *Design) Observe(run engine.Run, results engine.Results) {
	if len(d.stops.rules) == 0 {
		return
	}
	d.stops.observe(run, results)
}

func (s *stops) observe(run engine.Run, results engine.Results) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	o := s.seen[run.Rank]
	if o == nil {
		o = &observed{treatment: slices.Clone(run.Treatment), readings: map[int][]float64{}}
		s.seen[run.Rank] = o
	}
	numbers := make([]float64, len(s.rules))
	for i, rule := range s.rules {
		numbers[i] = number(results, rule.Result)
	}
	o.readings[run.Block] = numbers
}

// number returns a result as a number, or NaN.
func number(results engine.Results, name string) float64 {
	for _, r := range results {
		if r.Name != name {
			continue
		}
		switch v := r.Value.(type) {
		case int64:
			return float64(v)
		case float64:
			return v
		}
	}
	return math.NaN()
}

// EndBlock applies the stopping rules at the end of a block, to the results of
// the blocks up to it, and returns what it decided, by rank. Treatments that
// are settled drop out of later blocks. A block that a limit cuts decides
// nothing.
func (d *Design) EndBlock(b int) []engine.Decision {
	cut := d.limit >= 0 && d.limit < d.runsBefore(b+1)
	if len(d.stops.rules) == 0 || cut {
		return nil
	}
	return d.stops.endBlock(b)
}

func (s *stops) endBlock(b int) (decisions []engine.Decision) {
	s.mutex.Lock()
	defer s.mutex.Unlock()
	ranks := make([]uint64, 0, len(s.seen))
	for rank := range s.seen {
		if _, done := s.endings[rank]; !done {
			ranks = append(ranks, rank)
		}
	}
	slices.Sort(ranks)
	for _, rank := range ranks {
		made, settled := s.judge(rank, b)
		if settled {
			s.endings[rank] = b
			decisions = append(decisions, made...)
		}
	}
	return decisions
}

// judge applies every rule to a treatment; all must hold to settle it.
func (s *stops) judge(rank uint64, b int) (made []engine.Decision, settled bool) {
	o := s.seen[rank]
	for i, rule := range s.rules {
		holds, reason := judge(rule, o.upTo(b, i), b)
		if !holds {
			return nil, false
		}
		made = append(made, engine.Decision{Rule: fmt.Sprintf("until %q", rule.Result),
			Treatment: o.treatment, Rank: rank, Block: b, Reason: reason})
	}
	return made, true
}

// upTo returns the numbers for a rule from the blocks up to b.
func (o *observed) upTo(b, rule int) (values []float64) {
	for block, numbers := range o.readings {
		if block <= b && !math.IsNaN(numbers[rule]) {
			values = append(values, numbers[rule])
		}
	}
	return values
}

// judge says whether one rule holds after a block, and why.
func judge(rule engine.Stopping, values []float64, b int) (holds bool, reason string) {
	i, ok := medianInterval(values)
	width := i.relativeHalfWidth()
	have := fmt.Sprintf("%d results, too few for a 95 %% interval of the median", len(values))
	if ok {
		have = fmt.Sprintf("95 %% interval of the median is ±%.2g %% of %.6g after %d results", 100*width, i.Median, len(values))
	}
	asked := fmt.Sprintf("asked for ±%.2g %%", 100*rule.CI)
	switch {
	case ok && len(values) >= rule.Min && width <= rule.CI:
		return true, fmt.Sprintf("narrow enough: %s, %s", have, asked)
	case b >= rule.Max:
		return true, fmt.Sprintf("capped at %d replicates: %s, %s", rule.Max, have, asked)
	}
	return false, ""
}

// Settle takes over a decision that was recorded earlier.
func (d *Design) Settle(decision engine.Decision) {
	d.stops.mutex.Lock()
	defer d.stops.mutex.Unlock()
	d.stops.endings[decision.Rank] = decision.Block
}

// settled reports whether a treatment dropped out before a block.
func (s *stops) settled(rank uint64, b int) bool {
	if len(s.rules) == 0 {
		return false
	}
	s.mutex.Lock()
	defer s.mutex.Unlock()
	ending, done := s.endings[rank]
	return done && ending < b
}
