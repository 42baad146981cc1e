package main

import (
	"mpf/results/campaign"
)

// showStopped lists why treatments got no further replicates.
func (p *program) showStopped(dir string) error {
	c, err := campaign.Read(dir)
	if err != nil {
		return err
	}
	defer c.Close()
	summary := c.Summary()
	if len(summary.Decisions) == 0 {
		p.say.talk("no rule has stopped anything")
	}
	for i, d := range summary.Decisions {
		vars := c.Plans()[summary.DecidedBy[i]-1].Experiment.Variables
		p.say.print("block %d  %s  %s: %s\n", d.Block, d.Treatment.Format(vars), d.Rule, d.Reason)
	}
	return nil
}
