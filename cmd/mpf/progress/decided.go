package progress

import (
	"mpf/cmd/mpf/amount"
	"mpf/engine"
	"mpf/engine/design"
)

// maxDecided is how many decisions of a block are told one by one.
const maxDecided = 12

// Decided tells what stopping rules decided at the end of a block, and takes the
// runs that drop out from the number to do.
func (p *Progress) Decided(d *design.Design, block int, decisions []engine.Decision) {
	settled := ranksOf(decisions)
	if len(settled) == 0 {
		return
	}
	p.lock.Lock()
	p.of.Total -= int64(len(settled)) * int64(d.Blocks()-block)
	p.lock.Unlock()
	if block == d.Blocks() || len(decisions) > maxDecided {
		p.line("block %d: %s no further replicates", block, amount.Agree(len(settled), "treatment needs", "treatments need"))
		return
	}
	for _, decision := range decisions {
		p.line("block %d: no further replicate of %s: %s", block, decision.Treatment.Format(p.of.Variables), decision.Reason)
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
