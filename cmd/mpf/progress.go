package main

import (
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"mpf/cmd/mpf/amount"
	"mpf/engine"
	"mpf/results/grid"
	"mpf/results/query"
)

// progress says how a campaign gets on: one line that is written again and
// again on a terminal, plain lines elsewhere. It is an execute.Watch.
type progress struct {
	say    *voice
	vars   []engine.Variable
	total  int64 // runs of the design
	before int64 // of them ended in earlier invocations
	groups int
	live   bool // output of commands is shown
	now    func() time.Time

	lock    sync.Mutex
	begun   time.Time
	printed time.Time
	last    map[engine.RunID]engine.Status // of this invocation's runs
	ended   map[engine.Status]int64        // how many of them ended so
	repeats map[engine.Status]int64        // attempts that ended so and were repeated
	seconds []float64
	started bool // a run did
	current string
	waiting map[string]bool
	said    map[string]int // failures, warnings and logs by what they say
	warned  []string       // the texts of warnings about runs, each once
	stop    func()         // ends the ticking of tick, and waits for it
}

func newProgress(say *voice, vars []engine.Variable, total, before int64, groups int) *progress {
	return &progress{
		say: say, vars: vars, total: total, before: before, groups: max(groups, 1), now: time.Now,
		stop: func() {}, begun: time.Now(), last: map[engine.RunID]engine.Status{}, ended: map[engine.Status]int64{}, repeats: map[engine.Status]int64{}, waiting: map[string]bool{}, said: map[string]int{},
	}
}

func (p *progress) SettingUp(what, host string) { p.line("setup %q on %s", what, host) }

func (p *progress) Started(run engine.Run, attempt int, group string) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.started, p.current = true, run.Treatment.Format(p.vars)
	p.draw(false)
}

func (p *progress) Ended(run engine.Run, attempt int, d engine.Done) {
	p.lock.Lock()
	defer p.lock.Unlock()
	if before, again := p.last[run.ID]; again {
		p.ended[before]--
		p.repeats[before]++
	}
	p.last[run.ID] = d.Status
	p.ended[d.Status]++
	p.remember(d.Seconds + d.Gap)
	switch {
	case d.Cause == engine.CauseUser:
	case d.Status != engine.OK && d.Status != engine.Skipped:
		p.sayFailure(run, attempt, d)
	case !p.say.terminal:
		p.plain(run, d)
	}
	p.draw(false)
}

// remember keeps the durations of the newest runs: the estimate follows them.
func (p *progress) remember(seconds float64) {
	const window = 501
	if len(p.seconds) == window {
		p.seconds = slices.Delete(p.seconds, 0, 1)
	}
	p.seconds = append(p.seconds, seconds)
}

// sayFailure prints how a run ended. Of failures that differ in numbers only,
// the first few are printed; all are rows.
func (p *progress) sayFailure(run engine.Run, attempt int, d engine.Done) {
	const few = 3
	switch n := p.again(fmt.Sprint(d.Status, d.Cause, d.Step, d.Message)); {
	case n <= few:
		p.above(p.failure(run, attempt, d))
	case n == few+1 && p.again("only counted") == 1:
		p.above("mpf: more runs like these are only counted; all of them: mpf show --failed")
	}
}

// again counts how often something was said, numbers aside.
func (p *progress) again(text string) int {
	key := query.Numberless(text)
	p.said[key]++
	return p.said[key]
}

func (p *progress) failure(run engine.Run, attempt int, d engine.Done) string {
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
	text += "\n  " + strings.TrimSpace(fmt.Sprintf("%s replicate=%d", run.Treatment.Format(p.vars), run.Replicate))
	if attempt > 1 {
		text += fmt.Sprintf(" attempt=%d", attempt)
	}
	return text
}

// plain prints a run that ended ok where there is no terminal, at most one a
// second so that a log stays readable.
func (p *progress) plain(run engine.Run, d engine.Done) {
	now := p.now()
	if now.Sub(p.printed) < time.Second && p.done() < p.total {
		return
	}
	p.printed = now
	fmt.Fprintf(p.say.err, "mpf: %s\n", p.status())
}

// done is how many runs have an end.
func (p *progress) done() int64 { return p.before + int64(len(p.last)) }

func (p *progress) status() string {
	done := p.done()
	percent := 100.0
	if p.total > 0 {
		percent = 100 * float64(done) / float64(p.total)
	}
	text := fmt.Sprintf("%d/%d runs %3.0f %%  %s elapsed", done, p.total, percent, amount.Duration(p.now().Sub(p.begun)))
	if left := p.left(done); left > 0 {
		text += "  about " + amount.Duration(left) + " left"
	}
	if bad := p.ended[engine.Failed] + p.ended[engine.TimedOut] + p.ended[engine.Unreachable]; bad > 0 {
		text += fmt.Sprintf("  %d not ok", bad)
	}
	return text + "  " + p.current
}

// left estimates what remains from the median run; 0 while there is none.
func (p *progress) left(done int64) time.Duration {
	if len(p.seconds) < 3 || done >= p.total {
		return 0
	}
	sorted := slices.Sorted(slices.Values(p.seconds))
	median := sorted[len(sorted)/2]
	return time.Duration(median * float64(p.total-done) / float64(p.groups) * float64(time.Second)).Round(time.Second)
}

// tick draws the line once a second, so that it is seen that a long run goes on.
// It ends with the progress.
func (p *progress) tick() {
	done, ended := make(chan struct{}), make(chan struct{})
	p.stop = func() { close(done); <-ended }
	ticker := time.NewTicker(time.Second)
	go func() {
		defer close(ended)
		defer ticker.Stop()
		for {
			select {
			case <-done:
				return
			case <-ticker.C:
				p.lock.Lock()
				p.draw(false)
				p.lock.Unlock()
			}
		}
	}()
}

// draw writes the terminal's line again, at most ten times a second, once there
// is something to tell.
func (p *progress) draw(force bool) {
	now := p.now()
	if !p.say.terminal || p.live || !p.started || !force && now.Sub(p.printed) < 100*time.Millisecond {
		return
	}
	p.printed = now
	fmt.Fprintf(p.say.err, "\r\x1b[K%s", grid.Clip(p.status(), p.say.width()-1))
}

// above prints lines over the terminal's line.
func (p *progress) above(text string) {
	if p.say.terminal {
		fmt.Fprint(p.say.err, "\r\x1b[K")
	}
	fmt.Fprintln(p.say.err, text)
	p.draw(true)
}

func (p *progress) line(format string, args ...any) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.above("mpf: " + fmt.Sprintf(format, args...))
}

func (p *progress) Warned(run engine.Run, w engine.Warning) {
	if run.ID == (engine.RunID{}) {
		p.line("warning: %s", w.Text)
		return
	}
	p.lock.Lock()
	n := p.again(w.Text)
	if n == 1 {
		p.warned = append(p.warned, w.Text)
	}
	p.lock.Unlock()
	if n == 1 {
		p.line("warning: run %s, and it is said once: %s", run.ID.String()[:8], w.Text)
	}
}

func (p *progress) Waiting(host string, why error) {
	p.lock.Lock()
	known := p.waiting[host]
	p.waiting[host] = true
	p.lock.Unlock()
	if !known {
		p.line("host %q does not answer, waiting for it: %v", host, why)
	}
}

func (p *progress) Back(host string) {
	p.lock.Lock()
	known := p.waiting[host]
	p.waiting[host] = false
	p.lock.Unlock()
	if known {
		p.line("host %q is back", host)
	}
}

// Logged shows what steps log: the first lines of each step, as all of them are
// kept with their runs.
func (p *progress) Logged(run engine.Run, step, host, text string) {
	const few = 10
	for text := range strings.Lines(strings.TrimRight(text, "\n")) {
		p.lock.Lock()
		p.said["log "+step]++
		n := p.said["log "+step]
		p.lock.Unlock()
		switch text = strings.TrimRight(text, "\r\n"); {
		case p.live || n <= few:
			p.line("%s on %s: %s", step, host, engine.Shown(text))
		case n == few+1:
			p.line("what step %q logs is not shown any more; of any run: mpf show --run ID; of all: mpf run -v", step)
		}
	}
}

// Write shows live output; it makes progress an engine.OutputSink.
func (p *progress) Write(host, command string, stderr bool, data []byte) {
	for line := range strings.Lines(string(data)) {
		p.line("%s %s: %q", host, command, strings.TrimRight(line, "\r\n"))
	}
}

// finish clears the terminal's line and says what healed meanwhile.
func (p *progress) finish() {
	p.stop()
	p.lock.Lock()
	defer p.lock.Unlock()
	if p.say.terminal {
		fmt.Fprint(p.say.err, "\r\x1b[K")
	}
	for _, status := range engine.Statuses {
		if n := p.repeats[status]; n > 0 {
			p.say.talk("%s that ended %s: repeated", amount.Count(n, "attempt"), status)
		}
	}
	for _, text := range p.warned {
		if n := p.said[query.Numberless(text)]; n > 1 {
			p.say.warn("said once of %d times: %s", n, text)
		}
	}
}
