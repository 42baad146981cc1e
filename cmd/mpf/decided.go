package main

import (
	"fmt"

	"mpf/cmd/mpf/amount"
	"mpf/engine"
	"mpf/engine/design"
	"mpf/results/campaign"
)

// maxDecided is how many decisions of a block are told one by one.
const maxDecided = 12

// decided tells what stopping rules decided at the end of a block, and takes the
// runs that drop out from the number to do.
func (p *progress) decided(d *design.Design, block int, decisions []engine.Decision) {
	settled := ranksOf(decisions)
	if len(settled) == 0 {
		return
	}
	p.lock.Lock()
	p.total -= int64(len(settled)) * int64(d.Blocks()-block)
	p.lock.Unlock()
	if block == d.Blocks() || len(decisions) > maxDecided {
		p.line("block %d: %s further replicates", block, needNo(len(settled)))
		return
	}
	for _, decision := range decisions {
		p.line("block %d: no further replicate of %s: %s", block, decision.Treatment.Format(p.vars), decision.Reason)
	}
}

// ranksOf counts the treatments of decisions: several rules may decide on one.
func ranksOf(decisions []engine.Decision) map[uint64]bool {
	ranks := map[uint64]bool{}
	for _, d := range decisions {
		ranks[d.Rank] = true
	}
	return ranks
}

// needNo is the beginning of a sentence on settled treatments.
func needNo(n int) string {
	if n == 1 {
		return "1 treatment needs no"
	}
	return fmt.Sprintf("%s need no", amount.Count(n, "treatment"))
}

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
