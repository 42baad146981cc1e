package progress

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"mpf/cmd/mpf/amount"
	"mpf/engine"
)

// An absence is of a host that a run was lost on, or that is given up.
type absence struct {
	since time.Time
	told  bool // that it does not answer
}

// miss notes that a host is away. The caller holds the lock.
func (p *Progress) miss(host string) *absence {
	if p.away[host] == nil {
		p.away[host] = &absence{since: p.now()}
	}
	return p.away[host]
}

func (p *Progress) Waiting(host string, why error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if a := p.miss(host); !a.told {
		a.told = true
		p.above(fmt.Sprintf("mpf: host %q does not answer, waiting for it: %v", host, why))
	}
}

func (p *Progress) Back(host string, how engine.Fenced) {
	p.lock.Lock()
	defer p.lock.Unlock()
	a := p.away[host]
	if a == nil {
		return
	}
	delete(p.away, host)
	text := fmt.Sprintf("mpf: host %q is back after %s", host, amount.Duration(p.now().Sub(a.since)))
	if how.Rebooted() {
		text += ", it was rebooted"
	}
	p.above(text)
}

func (p *Progress) GivenUp(host string, why error) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.miss(host)
	if p.of.Groups > 1 {
		p.above(fmt.Sprintf("mpf: warning: host %q is given up: %v", host, why))
	}
}

// without says which hosts are away, and for how long.
func (p *Progress) without() string {
	first := p.now()
	for _, a := range p.away {
		if a.since.Before(first) {
			first = a.since
		}
	}
	names := slices.Sorted(maps.Keys(p.away))
	return fmt.Sprintf("without %s for %s", strings.Join(names, ", "), amount.Duration(p.now().Sub(first)))
}
