package campaign

import "mpf/results/lastword"

// fail ends the recording because of an error of storage, and says so in a file
// for which room was reserved.
func (c *Campaign) fail(err error) error {
	err = explain(c.dir, err)
	c.failing.Do(func() {
		c.journal.Poison(err)
		c.writeFailure(err)
	})
	return err
}

// Fail ends the recording because of an error of storage that somebody else met,
// such as in a file of an attempt.
func (c *Campaign) Fail(err error) { _ = c.fail(err) } // the caller has it already

// writeFailure leaves a word of the error that ends the invocation.
func (c *Campaign) writeFailure(cause error) {
	failure := lastword.Failure{Error: cause.Error(), OpenRuns: []string{}}
	if c.journal != nil { // it may be what cannot be opened
		failure.LastDurable = c.journal.Summary().N
		for _, started := range c.journal.Unfinished() {
			failure.OpenRuns = append(failure.OpenRuns, started.Start.Run.ID.String())
		}
	}
	lastword.Say(c.tree, failure)
}
