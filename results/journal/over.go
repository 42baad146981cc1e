package journal

import (
	"encoding/binary"
	"errors"
	"maps"
	"slices"

	"mpf/engine"
)

// overs are the places of runs that ended ok, by plan: only under the same plan
// does a place stand for the same run. A run that has ended ok never starts again,
// so they only grow. Runs of attempts under earlier plans are among them only
// where they were learnt.
type overs map[int]*growing

// growing is places, as they came.
type growing struct {
	ranges []engine.PlaceRange
	joined int // of ranges, when they were last joined
}

// add takes in the end of an attempt. What was made elsewhere may have had
// another design.
func (o overs) add(s *Started) {
	if at := s.Start.Run.Position; !s.Adopted && at >= 0 {
		o.of(s.Plan).add(engine.PlaceRange{First: at, End: at + 1})
	}
}

func (o overs) of(plan int) *growing {
	if o[plan] == nil {
		o[plan] = &growing{}
	}
	return o[plan]
}

func (g *growing) add(r engine.PlaceRange) {
	if n := len(g.ranges); n > 0 && g.ranges[n-1].End == r.First {
		g.ranges[n-1].End = r.End
		return
	}
	g.ranges = append(g.ranges, r)
	if len(g.ranges) >= 2*g.joined+1024 { // groups take turns: what they leave out comes soon
		g.ranges = slices.Clone(g.places().Ranges())
		g.joined = len(g.ranges)
	}
}

func (g *growing) places() engine.Places { return engine.NewPlaces(g.ranges) }

// append appends, for each plan, its number, the number of ranges and of each
// how far it is from the one before and how long.
func (o overs) append(b []byte) []byte {
	for _, plan := range slices.Sorted(maps.Keys(o)) {
		ranges := o[plan].places().Ranges()
		b = binary.AppendUvarint(b, uint64(plan))
		b = binary.AppendUvarint(b, uint64(len(ranges)))
		end := int64(0)
		for _, r := range ranges {
			b = binary.AppendUvarint(b, uint64(r.First-end))
			b = binary.AppendUvarint(b, uint64(r.End-r.First))
			end = r.End
		}
	}
	return b
}

// read takes in what append wrote.
func (o overs) read(b []byte) error {
	bad := false
	next := func() int64 {
		u, n := binary.Uvarint(b)
		if bad = bad || n <= 0; bad {
			return 0
		}
		b = b[n:]
		return int64(u)
	}
	for len(b) > 0 && !bad {
		plan, end := o.of(int(next())), int64(0)
		for range next() {
			r := engine.PlaceRange{First: end + next()}
			if r.End = r.First + next(); bad || r.End <= r.First || r.First < end {
				return errors.New("places that are none")
			}
			plan.add(r)
			end = r.End
		}
	}
	if bad {
		return errors.New("places that are cut")
	}
	return nil
}
