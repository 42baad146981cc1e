package design

import (
	"fmt"

	"mpf/engine"
)

// doubts finds what an experiment may not mean.
func (d *Design) doubts() (found []engine.Mistake) {
	e := d.experiment
	for i, b := range d.space.Balances() {
		v := e.Variables[i]
		for level, count := range b.Levels {
			if count.Sign() == 0 {
				found = append(found, engine.Mistake{Pos: v.Pos,
					Message: fmt.Sprintf("variable %q: level %q never occurs: the rules exclude it everywhere", v.Name, v.Levels[level].Label),
					Hint:    "take the level out, or narrow the rule"})
			}
		}
	}
	for _, i := range d.space.Idle() {
		found = append(found, engine.Mistake{Pos: e.Exclusions[i].Pos, Message: "exclude: excludes nothing that the other rules leave",
			Hint: "it compares values, which may be others than their labels"})
	}
	if len(e.Stopping) == 0 && e.Replicates < engine.DefaultReplicates {
		found = append(found, engine.Mistake{
			Message: fmt.Sprintf("%s: a 95 %% interval of a median needs %d", replicates(e.Replicates), engine.DefaultReplicates),
			Hint:    fmt.Sprintf("replicates = %d", engine.DefaultReplicates)})
	}
	for _, r := range e.Repeats {
		if r.Replicates < engine.DefaultReplicates {
			found = append(found, engine.Mistake{Pos: r.Pos,
				Message: fmt.Sprintf("replicates: %s: a 95 %% interval of a median needs %d", replicates(r.Replicates), engine.DefaultReplicates),
				Hint:    fmt.Sprintf("%d or more", engine.DefaultReplicates)})
		}
	}
	for _, s := range e.Stopping {
		if s.Max < engine.DefaultReplicates {
			found = append(found, engine.Mistake{Pos: s.Pos,
				Message: fmt.Sprintf("until %q: max = %d: a 95 %% interval of a median needs %d, so the cap always decides", s.Result, s.Max, engine.DefaultReplicates),
				Hint:    fmt.Sprintf("max = %d or more", engine.DefaultReplicates)})
		}
	}
	return found
}

func replicates(n int) string {
	if n == 1 {
		return "1 replicate"
	}
	return fmt.Sprintf("%d replicates", n)
}
