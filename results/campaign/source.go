package campaign

import (
	"iter"

	"mpf/engine"
	"mpf/results/journal"
	"mpf/results/record"
)

// Attempts implements record.Source.
func (c *Campaign) Attempts() iter.Seq2[*record.Attempt, error] { return c.AttemptsAfter(0) }

// AttemptsAfter walks over the attempts whose sequence is greater than one that
// was seen before.
func (c *Campaign) AttemptsAfter(sequence int64) iter.Seq2[*record.Attempt, error] {
	return func(yield func(*record.Attempt, error) bool) {
		for a, err := range c.journal.Attempts(sequence) {
			if err == nil {
				err = c.unspill(a.Ended)
			}
			if err != nil {
				yield(nil, explain(c.dir, err))
				return
			}
			c.amend(a.Ended)
			if !yield(attemptOf(a), nil) {
				return
			}
		}
	}
}

// Reboots implements tables.Learning.
func (c *Campaign) Reboots() []record.Reboot { return c.journal.Reboots() }

// amend adds to the end of an attempt what became known of its host afterwards.
func (c *Campaign) amend(e *journal.Ended) {
	if e.Done.Status == engine.Unreachable && c.journal.Rebooted(record.Reboot{Run: e.Run, Attempt: e.Attempt, Host: e.Done.Host}) {
		e.Done.Rebooted()
	}
}

// left walks over what the attempts left: all their files, those too that a file
// of their own names.
func (c *Campaign) left() iter.Seq2[journal.Left, error] {
	return func(yield func(journal.Left, error) bool) {
		for left, err := range c.journal.Left() {
			if err == nil {
				err = c.unspillFiles(&left)
			}
			if !yield(left, explain(c.dir, err)) || err != nil {
				return
			}
		}
	}
}

// enoughToKnow is how many earlier attempts tell of the kinds.
const enoughToKnow = 64

// recallKinds takes up the results of the first attempts.
func (c *Campaign) recallKinds() error {
	n := 0
	for a, err := range c.Attempts() {
		if err != nil {
			return err
		}
		c.kinds.Note(a.Start.Run.ID, a.Done.Results)
		if n++; n == enoughToKnow {
			break
		}
	}
	return nil
}

func attemptOf(a journal.Attempt) *record.Attempt {
	return &record.Attempt{
		Sequence: a.Sequence, Plan: a.Started.Plan, Invocation: a.Started.Invocation,
		Start: a.Started.Start, Done: a.Ended.Done, Files: a.Ended.Files,
	}
}
