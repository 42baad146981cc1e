package main

import (
	"fmt"

	"mpf/cmd/mpf/amount"
	"mpf/cmd/mpf/standing"
	"mpf/engine/design"
)

// How many changes of an experiment, and runs that left its design, are listed.
// JSON has them all.
const (
	maxListed  = 20
	maxOrphans = 5
)

// planDifference says what the experiment means for the campaign.
func (p *program) planDifference(s *standing.Standing) {
	p.say.print("campaign %s: %s\n", s.Dir, differenceWords(s.Diff, s.Todo))
	for i, c := range s.Changes {
		if i == maxListed {
			p.say.print("  and %s\n", amount.Count(len(s.Changes)-maxListed, "other change"))
			break
		}
		p.say.print("  %s\n", changeWords(c))
	}
	for i, o := range s.Diff.Orphaned {
		if i == maxOrphans {
			p.say.print("  and %d more\n", len(s.Diff.Orphaned)-maxOrphans)
			break
		}
		p.say.print("  orphaned: %s  %s replicate=%d: %s\n", o.ID.String()[:8], o.Words, o.Replicate, o.Why)
	}
	if s.Settled > 0 {
		p.say.print("  %s further replicates: mpf show --stopped %s\n", needNo(s.Settled), quoted(s.Dir))
	}
}

// differenceWords counts what a design means for what a campaign has.
func differenceWords(d design.Difference, todo int64) string {
	text := fmt.Sprintf("%s kept, %s new, %d orphaned", amount.Count(d.Kept, "run"), amount.Thousands(max(d.New, 0)), len(d.Orphaned))
	if again := todo - d.New; again > 0 {
		text += fmt.Sprintf(", %d of the kept ones to repeat", again)
	}
	return text
}

// changeWords tells a change with its place, if it has one.
func changeWords(c design.Change) string {
	if c.Pos.IsValid() {
		return c.Pos.String() + ": " + c.Text
	}
	return c.Text
}
