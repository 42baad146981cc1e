package tables

import (
	"mpf/engine"
	"mpf/results/record"
)

// amend makes the rows anew of attempts of which more became known since they
// were taken in.
func (p *Publisher) amend(src record.Source) error {
	learning, ok := src.(Learning)
	if !ok {
		return nil
	}
	learnt := learning.Reboots()
	stale, first := p.runs.stale(learnt[min(p.reboots, len(learnt)):])
	p.reboots = len(learnt)
	if len(stale) == 0 {
		return nil
	}
	for a, err := range learning.AttemptsAfter(first - 1) {
		if err != nil {
			return err
		}
		if a.Sequence > p.last {
			break
		}
		if run := a.Start.Run.ID; stale[run] == a.Start.Attempt {
			if err := p.runs.put(p.ids.text(run), a, p.runs.view(a.Plan)); err != nil {
				return err
			}
		}
	}
	return nil
}

// stale returns the attempts whose rows are to be made anew, by run, and the
// sequence from which on they are found.
func (t *runTable) stale(learnt []record.Reboot) (attempts map[engine.RunID]int, first int64) {
	attempts = map[engine.RunID]int{}
	for _, r := range learnt {
		shown, ok := t.shown[r.Run]
		if !ok || shown.attempt != r.Attempt {
			continue
		}
		if len(attempts) == 0 || shown.sequence < first {
			first = shown.sequence
		}
		attempts[r.Run] = r.Attempt
	}
	return attempts, max(first, 1)
}
