package progress

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"mpf/cmd/mpf/amount"
	"mpf/engine"
)

func (p *Progress) Waiting(host string, why error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.away[host].IsZero() {
		p.away[host] = p.now()
		p.above(fmt.Sprintf("mpf: host %q does not answer, waiting for it: %v", host, why))
	}
}

func (p *Progress) Back(host string, how engine.Fenced) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.away[host].IsZero() {
		return
	}
	text := fmt.Sprintf("mpf: host %q is back after %s", host, amount.Duration(p.now().Sub(p.away[host])))
	if how.Rebooted() {
		text += ", it was rebooted"
	}
	delete(p.away, host)
	p.above(text)
}

func (p *Progress) GivenUp(host string, why error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.away[host].IsZero() {
		p.away[host] = p.now()
	}
	if p.of.Groups > 1 {
		p.above(fmt.Sprintf("mpf: warning: host %q is given up for now, its group's runs are left to the others: %v", host, why))
	}
}

// without says which hosts are away, and for how long.
func (p *Progress) without() string {
	names := slices.Sorted(maps.Keys(p.away))
	first := p.now()
	for _, since := range p.away {
		if since.Before(first) {
			first = since
		}
	}
	return fmt.Sprintf("without %s for %s", strings.Join(names, ", "), amount.Duration(p.now().Sub(first)))
}
