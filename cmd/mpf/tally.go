package main

import (
	"mpf/cmd/mpf/amount"
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

// settle tells a design what its stopping rules decided so far, and returns how
// many treatments that settled, and the decisions that the record does not have
// yet: those at the end of a block after which mpf died, and those that follow
// from rules that have changed. What the record has counts only if the design is
// that of the plan in force.
func settle(c *campaign.Campaign, d *design.Design, inForce bool) (settled int, missed []engine.Decision, err error) {
	if len(d.Experiment().Stopping) == 0 {
		return 0, nil, nil
	}
	known := map[uint64]bool{}
	summary := c.Summary()
	for i, decision := range summary.Decisions {
		if inForce && summary.DecidedBy[i] == len(c.Plans()) {
			d.Settle(decision)
			known[decision.Rank] = true
		}
	}
	for b := 1; b <= d.Blocks(); b++ {
		whole, err := observe(c, d, b)
		if err != nil || !whole {
			return len(known), missed, err
		}
		for _, decision := range d.EndBlock(b) {
			known[decision.Rank] = true
			missed = append(missed, decision)
		}
	}
	return len(known), missed, nil
}

// observe shows a design the results of a block, and reports whether each of its
// runs has ended. It stops at the first that has not.
func observe(c *campaign.Campaign, d *design.Design, b int) (whole bool, err error) {
	for run := range d.Block(b) {
		switch status := c.State(run.ID).Status; {
		case status == "" || status.Resumes():
			return false, nil
		case status == engine.OK:
			results, err := c.Results(run.ID)
			if err != nil {
				return false, err
			}
			d.Observe(run, results)
		}
	}
	return true, nil
}

// needNo is the beginning of a sentence on settled treatments.
func needNo(n int) string { return amount.Agree(n, "treatment needs no", "treatments need no") }
