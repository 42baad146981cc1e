package standing

import (
	"io/fs"
	"iter"
	"math"
	"os"

	"mpf/engine"
	"mpf/engine/design"
	"mpf/results/campaign"
	"mpf/results/drift"
	"mpf/results/record"
)

// walkLimit is up to how many runs of a design are looked at one by one.
const walkLimit = 1 << 22

// A Standing is what a design means for a campaign that has begun.
type Standing struct {
	Dir     string
	Drift   drift.Drift
	Refusal error           // why it cannot be gone on with as it is, or nil
	Changes []design.Change // since the plan in force
	Diff    design.Difference
	Todo    int64 // runs that going on would execute
	Settled int   // treatments that need no further replicate

	seconds []float64 // of each attempt that ended, the rest before it included
	bytes   int64     // that all of them left
}

// Left forecasts the time of the runs that are to do, with so many host groups.
func (s *Standing) Left(groups int) (design.Forecast, bool) {
	if s == nil {
		return design.Forecast{}, false
	}
	f, ok := design.Foresee(s.seconds, s.Todo)
	n := float64(max(groups, 1))
	f.Total, f.Low, f.High = f.Total/n, f.Low/n, f.High/n
	return f, ok
}

// Disk estimates the bytes that the runs to do will leave.
func (s *Standing) Disk() (bytes int64, ok bool) {
	if s == nil || len(s.seconds) == 0 {
		return 0, false
	}
	return s.bytes / int64(len(s.seconds)) * s.Todo, true
}

// Compare holds a plan against the one in force.
func Compare(c *campaign.Campaign, plan record.Plan) *Standing {
	s := &Standing{Dir: c.Dir(), Drift: c.Compare(plan)}
	s.Refusal = c.Refuse(s.Drift, Unmeasured(c))
	old := c.Plan().Experiment
	s.Changes = design.Changes(&old, &plan.Experiment)
	if len(s.Drift.Script) > 0 {
		s.Changes = append(s.Changes, edits(&old, &plan.Experiment)...)
	}
	return s
}

// Unmeasured reports whether no row holds what a step has measured: then steps
// may change without mixing anything.
func Unmeasured(c *campaign.Campaign) bool {
	counts := c.Count()
	return counts[engine.OK]+counts[engine.Skipped] == 0
}

// Measure walks over the record, and over the design where that is not too long.
// What stopping rules decided must have been settled before.
func (s *Standing) Measure(c *campaign.Campaign, part *design.Design) error {
	var failed error
	s.Diff = part.Compare(recordedOf(c, &failed, s.note))
	if failed != nil {
		return failed
	}
	s.bytes += sizeOfRecord(c.Dir())
	if part.Runs() > walkLimit {
		s.Todo = s.Diff.New
		return nil
	}
	over := engine.Places{}
	if s.Drift.Same() { // under another plan a place is another run's
		over = c.Over()
	}
	t := Count(part, c, over, nil)
	s.Diff.Kept, s.Diff.New, s.Todo = t.Kept, t.Fresh, t.Todo
	return nil
}

// note keeps what an attempt took.
func (s *Standing) note(a *record.Attempt) {
	if a.Done.Status == engine.Interrupted {
		return
	}
	seconds := a.Done.Seconds
	if gap := a.Done.Gap; gap > 0 && !math.IsInf(gap, 0) {
		seconds += gap
	}
	s.seconds = append(s.seconds, seconds)
	for _, f := range a.Files {
		s.bytes += f.Size
	}
}

// recordedOf yields the runs that a campaign has a row of. An error of reading
// them ends the walk and is left in failed.
func recordedOf(c *campaign.Campaign, failed *error, note func(*record.Attempt)) iter.Seq[design.Recorded] {
	return func(yield func(design.Recorded) bool) {
		plans := c.Plans()
		for a, err := range c.Attempts() {
			if err != nil {
				*failed = err
				return
			}
			note(a)
			if !yield(design.Recorded{Variables: plans[a.Plan-1].Experiment.Variables, Run: a.Start.Run}) {
				return
			}
		}
	}
}

// sizeOfRecord adds up the journal and the tables of a campaign.
func sizeOfRecord(dir string) (bytes int64) {
	tree := os.DirFS(dir)
	for _, pattern := range []string{"journal/*", "*.parquet"} {
		files, err := fs.Glob(tree, pattern)
		if err != nil {
			continue // the pattern is constant, and right
		}
		for _, file := range files {
			if info, err := fs.Stat(tree, file); err == nil {
				bytes += info.Size()
			}
		}
	}
	return bytes
}
