package progress

import (
	"fmt"
	"strings"
	"time"

	"mpf/engine"
	"mpf/results/query"
)

func (p *Progress) Started(run engine.Run, attempt int, group string) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.started, p.current = true, run.Treatment.Format(p.of.Variables)
	p.draw(false)
}

func (p *Progress) Ended(run engine.Run, attempt int, d engine.Done) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if before, again := p.last[run.ID]; again {
		p.ended[before]--
		p.repeats[before]++
	}
	p.last[run.ID] = d.Status
	p.ended[d.Status]++
	p.remember(d.Seconds + d.Gap)
	if d.Host != "" && engine.HostGone(d.Status, d.Cause) {
		p.miss(d.Host)
	}
	switch {
	case d.Cause == engine.CauseUser:
	case d.Status.Bad():
		p.sayFailure(run, attempt, d)
	case !p.screen.Terminal:
		p.plain()
	}
	p.draw(false)
}

// sayFailure prints how a run ended. Of failures that differ in numbers only,
// the first few are printed; all are rows.
func (p *Progress) sayFailure(run engine.Run, attempt int, d engine.Done) {
	const few = 3
	switch n := p.again(fmt.Sprint(d.Status, d.Cause, d.Step, d.Message)); {
	case n <= few:
		p.above(p.failure(run, attempt, d))
	case n == few+1 && p.again("only counted") == 1:
		p.above("mpf: more runs like these are only counted; all of them: mpf show --failed")
	}
}

// again counts how often something was said, numbers aside.
func (p *Progress) again(text string) int {
	key := query.Numberless(text)
	p.said[key]++
	return p.said[key]
}

func (p *Progress) failure(run engine.Run, attempt int, d engine.Done) string {
	where := ""
	if d.Step != "" {
		where = fmt.Sprintf(" step %q", d.Step)
	}
	if d.Host != "" {
		where += " on " + d.Host
	}
	text := fmt.Sprintf("mpf: run %s %s (%s)%s: %s", run.ID.String()[:8], d.Status, d.Cause, where, d.Message)
	for _, pos := range d.Trace {
		text += "\n  " + pos.String()
	}
	text += "\n  " + strings.TrimSpace(fmt.Sprintf("%s replicate=%d", run.Treatment.Format(p.of.Variables), run.Replicate))
	if attempt > 1 {
		text += fmt.Sprintf(" attempt=%d", attempt)
	}
	return text
}

// plain prints how far the campaign got where there is no terminal, at most once
// a second so that a log stays readable.
func (p *Progress) plain() {
	now := p.now()
	if now.Sub(p.printed) < time.Second && p.done() < p.of.Total {
		return
	}
	p.printed = now
	fmt.Fprintf(p.screen, "mpf: %s\n", p.status())
}
