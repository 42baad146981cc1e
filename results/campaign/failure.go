package campaign

import (
	"encoding/json"

	"mpf/results/fsys"
)

const failureName = "failure.json"

// A Failure is what a campaign says of the error of storage that ended it.
type Failure struct {
	Error       string   `json:"error"`
	LastDurable uint64   `json:"last_durable_frame"`
	OpenRuns    []string `json:"open_runs"`
}

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

// writeFailure has no error of its own: the one that led here is what matters,
// and it is on its way to the user.
func (c *Campaign) writeFailure(cause error) {
	failure := Failure{Error: cause.Error(), OpenRuns: []string{}}
	if c.journal != nil { // it may be what cannot be opened
		failure.LastDurable = c.journal.Summary().N
		for _, started := range c.journal.Unfinished() {
			failure.OpenRuns = append(failure.OpenRuns, started.Start.Run.ID.String())
		}
	}
	text, err := json.MarshalIndent(failure, "", "  ")
	if err == nil && c.tree.Check() == nil && fsys.RemoveTree(c.tree, reserveName) == nil {
		_ = fsys.WriteFile(c.tree, failureName, append(text, '\n'))
	}
}
