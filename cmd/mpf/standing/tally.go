package standing

import (
	"mpf/engine"
	"mpf/engine/design"
	"mpf/results/campaign"
)

// A Tally counts the runs of a design by what a campaign has of them.
type Tally struct {
	Kept  int64               // have a row
	Fresh int64               // have none
	Todo  int64               // are to be executed: those without a row, and those to repeat
	Bad   int64               // did neither end ok nor ask to be skipped
	Found []engine.PlaceRange // of runs that ended ok, among those looked at
}

// look counts a run by its status.
func (t *Tally) look(run engine.Run, status engine.Status, again map[engine.Status]bool) {
	if status == "" {
		t.Fresh++
	} else {
		t.Kept++
	}
	if status.Bad() {
		t.Bad++
	}
	if status == "" || status.Resumes() || again[status] {
		t.Todo++
	}
	if status != engine.OK {
		return
	}
	if n := len(t.Found); n > 0 && t.Found[n-1].End == run.Position {
		t.Found[n-1].End++
		return
	}
	t.Found = append(t.Found, engine.PlaceRange{First: run.Position, End: run.Position + 1})
}

// Count looks at the runs of a design one by one, but for those at places that
// are over, and at the rows alone where there are too many. Runs whose row has
// one of the statuses again are to be repeated.
func Count(d *design.Design, c *campaign.Campaign, over engine.Places, again map[engine.Status]bool) (t Tally) {
	if d.Runs() > walkLimit {
		return CountRows(d, c, again)
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
		t.Kept = d.Runs() - t.Fresh
	}
	return t
}

// CountRows takes each row for one of a run of the design.
func CountRows(d *design.Design, c *campaign.Campaign, again map[engine.Status]bool) (t Tally) {
	for status, n := range c.Count() {
		t.Kept += n
		if status.Bad() {
			t.Bad += n
		}
		if status.Resumes() || again[status] {
			t.Todo += n
		}
	}
	t.Fresh = max(0, d.Runs()-t.Kept)
	t.Todo += t.Fresh
	return t
}
