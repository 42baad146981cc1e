package standing

import (
	"mpf/engine"
	"mpf/engine/design"
	"mpf/results/campaign"
)

// Settle tells a design what its stopping rules decided so far, and returns how
// many treatments that settled, and the decisions that the record does not have
// yet: those at the end of a block after which mpf died, and those that follow
// from rules that have changed. What the record has counts only if the design is
// that of the plan in force.
func Settle(c *campaign.Campaign, d *design.Design, inForce bool) (settled int, missed []engine.Decision, err error) {
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
