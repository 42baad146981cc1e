package main

import (
	"io/fs"
	"iter"
	"math"
	"os"
	"path/filepath"

	"mpf/engine"
	"mpf/engine/design"
	"mpf/results/campaign"
	"mpf/results/drift"
	"mpf/results/record"
	"mpf/results/shelf"
	"mpf/starlib/code"
)

// walkLimit is up to how many runs of a design are looked at one by one.
const walkLimit = 1 << 22

// A standing is what a design means for a campaign that has begun.
type standing struct {
	dir     string
	drift   drift.Drift
	refusal error           // why it cannot be gone on with as it is, or nil
	changes []design.Change // since the plan in force
	diff    design.Difference
	todo    int64 // runs that going on would execute
	settled int   // treatments that need no further replicate

	seconds []float64 // of each attempt that ended, the rest before it included
	bytes   int64     // that all of them left
}

// left forecasts the time of the runs that are to do, with so many host groups.
func (s *standing) left(groups int) (design.Forecast, bool) {
	if s == nil {
		return design.Forecast{}, false
	}
	f, ok := design.Foresee(s.seconds, s.todo)
	n := float64(max(groups, 1))
	f.Total, f.Low, f.High = f.Total/n, f.Low/n, f.High/n
	return f, ok
}

// disk estimates the bytes that the runs to do will leave.
func (s *standing) disk() (bytes int64, ok bool) {
	if s == nil || len(s.seconds) == 0 {
		return 0, false
	}
	return s.bytes / int64(len(s.seconds)) * s.todo, true
}

// standingOf finds how the campaign stands: the one in dir, else the newest of
// the experiment if its runs can count; nil if there is none.
func (p *program) standingOf(l *loaded, dir string) (*standing, error) {
	wanted := dir != ""
	if !wanted {
		var err error
		if dir, _, err = shelf.Find(defaultBase, l.experiment.Name); err != nil || dir == "" {
			return nil, err
		}
	}
	c, err := campaign.Read(dir)
	if err != nil {
		if wanted {
			return nil, err
		}
		p.say.warn("what was measured before is not known: %v", err)
		return nil, nil
	}
	defer c.Close()
	s := compare(c, l)
	if len(s.drift.Other) > 0 && !wanted {
		return nil, nil
	}
	if s.settled, _, err = settle(c, l.part, s.drift.Same()); err != nil {
		return nil, err
	}
	return s, s.measure(c, l)
}

// compare holds an experiment against the plan in force.
func compare(c *campaign.Campaign, l *loaded) *standing {
	s := &standing{dir: c.Dir(), drift: c.Compare(l.frozen())}
	s.refusal = c.Refuse(s.drift, unmeasured(c))
	old := c.Plan().Experiment
	s.changes = design.Changes(&old, l.experiment)
	if len(s.drift.Script) > 0 {
		s.changes = append(s.changes, edits(&old, l.experiment)...)
	}
	return s
}

// edits names the functions and the constants that differ. Their places are in
// the folder of the experiment's file, as that is shown.
func edits(old, new *engine.Experiment) (found []design.Change) {
	for _, e := range code.Edits(old.Sources, new.Sources) {
		if e.Pos.IsValid() {
			e.Pos.File = filepath.Join(folderOf(new), e.Pos.File)
		}
		found = append(found, design.Change{Kind: design.ChangedStep, Text: e.Text, Pos: e.Pos})
	}
	return found
}

// folderOf returns the folder of an experiment's file, as places in it show it.
func folderOf(e *engine.Experiment) string {
	for _, role := range e.Roles {
		if role.Pos.IsValid() {
			return filepath.Dir(role.Pos.File)
		}
	}
	return ""
}

// unmeasured reports whether no row holds what a step has measured: then steps
// may change without mixing anything.
func unmeasured(c *campaign.Campaign) bool {
	counts := c.Count()
	return counts[engine.OK]+counts[engine.Skipped] == 0
}

// measure walks over the record, and over the design where that is not too long.
// What stopping rules decided must have been settled before.
func (s *standing) measure(c *campaign.Campaign, l *loaded) error {
	var failed error
	s.diff = l.part.Compare(recordedOf(c, &failed, s.note))
	if failed != nil {
		return failed
	}
	s.bytes += sizeOfRecord(c.Dir())
	if l.part.Runs() > walkLimit {
		s.todo = s.diff.New
		return nil
	}
	over := engine.Places{}
	if s.drift.Same() { // under another plan a place is another run's
		over = c.Over()
	}
	t := tallyOf(l.part, c, over, nil)
	s.diff.Kept, s.diff.New, s.todo = t.kept, t.fresh, t.todo
	return nil
}

// note keeps what an attempt took.
func (s *standing) note(a *record.Attempt) {
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
