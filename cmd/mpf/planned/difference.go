package planned

import (
	"fmt"
	"io"

	"mpf/cmd/mpf/amount"
	"mpf/cmd/mpf/argv"
	"mpf/cmd/mpf/standing"
	"mpf/engine/design"
)

// How many changes of an experiment, and runs that left its design, are listed.
// JSON has them all.
const (
	maxListed  = 20
	maxOrphans = 5
)

// writeDifference says what the experiment means for the campaign.
func writeDifference(w io.Writer, s *standing.Standing) {
	fmt.Fprintf(w, "campaign %s: %s\n", s.Dir, Difference(s.Diff, s.Todo))
	for i, c := range s.Changes {
		if i == maxListed {
			fmt.Fprintf(w, "  and %s\n", amount.Count(len(s.Changes)-maxListed, "other change"))
			break
		}
		fmt.Fprintf(w, "  %s\n", Change(c))
	}
	for i, o := range s.Diff.Orphaned {
		if i == maxOrphans {
			fmt.Fprintf(w, "  and %d more\n", len(s.Diff.Orphaned)-maxOrphans)
			break
		}
		fmt.Fprintf(w, "  orphaned: %s  %s replicate=%d: %s\n", o.ID.String()[:8], o.Words, o.Replicate, o.Why)
	}
	if s.Settled > 0 {
		fmt.Fprintf(w, "  %s no further replicates: mpf show --stopped %s\n", amount.Agree(s.Settled, "treatment needs", "treatments need"), argv.Quote(s.Dir))
	}
}

// Difference counts what a design means for what a campaign has.
func Difference(d design.Difference, todo int64) string {
	text := fmt.Sprintf("%s kept, %s new, %d orphaned", amount.Count(d.Kept, "run"), amount.Thousands(max(d.New, 0)), len(d.Orphaned))
	if again := todo - d.New; again > 0 {
		text += fmt.Sprintf(", %d of the kept ones to repeat", again)
	}
	return text
}

// Change tells a change with its place, if it has one.
func Change(c design.Change) string {
	if c.Pos.IsValid() {
		return c.Pos.String() + ": " + c.Text
	}
	return c.Text
}
