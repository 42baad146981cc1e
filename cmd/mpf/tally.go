package main

import (
	"mpf/engine"
	"mpf/engine/design"
	"mpf/results/campaign"
)

// A tally counts the runs of a design by what a campaign has of them.
type tally struct {
	kept  int64               // have a row
	fresh int64               // have none
	todo  int64               // are to be executed: those without a row, and those to repeat
	bad   int64               // did neither end ok nor ask to be skipped
	found []engine.PlaceRange // of runs that ended ok, among those looked at
}

// look counts a run by its status.
func (t *tally) look(run engine.Run, status engine.Status, again map[engine.Status]bool) {
	if status == "" {
		t.fresh++
	} else {
		t.kept++
	}
	if isBad(status) {
		t.bad++
	}
	if status == "" || status.Resumes() || again[status] {
		t.todo++
	}
	if status != engine.OK {
		return
	}
	if n := len(t.found); n > 0 && t.found[n-1].End == run.Position {
		t.found[n-1].End++
		return
	}
	t.found = append(t.found, engine.PlaceRange{First: run.Position, End: run.Position + 1})
}

func isBad(status engine.Status) bool {
	return status != "" && status != engine.OK && status != engine.Skipped
}

// tallyOf looks at the runs of a design one by one, but for those at places that
// are over, and at the rows alone where there are too many. Runs whose row has
// one of the statuses again are to be repeated.
func tallyOf(d *design.Design, c *campaign.Campaign, over engine.Places, again map[engine.Status]bool) (t tally) {
	if d.Runs() > walkLimit {
		return tallyOfRows(d, c, again)
	}
	if e := d.Experiment(); len(e.Stopping)+len(e.Repeats) > 0 { // what Runs says is a bound
		over = engine.Places{}
	}
	for b := 1; b <= d.Blocks(); b++ {
		for run := range d.Without(b, over) {
			t.look(run, c.State(run.ID).Status, again)
		}
	}
	if !over.Empty() {
		t.kept = d.Runs() - t.fresh
	}
	return t
}

// tallyOfRows takes each row for one of a run of the design.
func tallyOfRows(d *design.Design, c *campaign.Campaign, again map[engine.Status]bool) (t tally) {
	for status, n := range c.Count() {
		t.kept += n
		if isBad(status) {
			t.bad += n
		}
		if status.Resumes() || again[status] {
			t.todo += n
		}
	}
	t.fresh = max(0, d.Runs()-t.kept)
	t.todo += t.fresh
	return t
}

// tally counts the runs that are asked for. Where every row is one of theirs, as
// it is under the first plan without stopping rules, the rows alone tell; that
// nothing is left to do is not said without a look at each run. What a look finds
// over the campaign learns, so that nobody has to look there again.
func (s *session) tally() tally {
	over := s.campaign.Over()
	known := over.Size() == s.campaign.Count()[engine.OK]
	if known && len(s.campaign.Plans()) == 1 && len(s.experiment.Stopping) == 0 && s.part.Runs() == s.design.Runs() {
		if t := tallyOfRows(s.part, s.campaign, s.again); t.todo > 0 {
			return t
		}
	}
	t := tallyOf(s.part, s.campaign, over, s.again)
	s.campaign.Learn(engine.NewPlaces(t.found))
	return t
}
