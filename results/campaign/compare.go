package campaign

import (
	"fmt"
	"strings"

	"mpf/results/drift"
	"mpf/results/record"
)

// Compare compares a plan with the one in force.
func (c *Campaign) Compare(plan record.Plan) drift.Drift {
	return drift.Compare(c.Plan().Experiment, plan.Experiment)
}

// Refuse returns why a plan cannot go on here: it belongs elsewhere, or what it
// runs has changed under equal names and that was not accepted.
func (c *Campaign) Refuse(d drift.Drift, acceptScript bool) error {
	if len(d.Other) > 0 {
		return &RefusedError{
			Dir: c.dir, What: fmt.Sprintf("was made by another plan: %s", strings.Join(d.Other, ", ")),
			Todo: "begin another campaign with: mpf run --new",
		}
	}
	if len(d.Script) > 0 && !acceptScript {
		return &RefusedError{
			Dir: c.dir, What: fmt.Sprintf("rows were measured by other code: changed: %s", strings.Join(d.Script, ", ")),
			Todo: "go on all the same with: mpf run --accept-script; or begin another campaign with: mpf run --new",
		}
	}
	return nil
}
