package progress

import (
	"fmt"
	"slices"
	"sync"
	"time"

	"mpf/cmd/mpf/amount"
	"mpf/engine"
	"mpf/engine/execute"
	"mpf/results/query"
)

// Options say what is to be executed, and how much of it is told.
type Options struct {
	Variables []engine.Variable
	Total     int64 // runs of the design
	Before    int64 // of them ended in earlier invocations
	Groups    int   // of hosts, that execute runs at once
	Live      bool  // output of commands is shown
}

// A Progress tells of one invocation. Its methods may be called by any goroutine.
type Progress struct {
	of     Options
	screen Screen
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
	away    map[string]*absence // hosts
	said    map[string]int      // failures, warnings and logs by what they say
	warned  []string            // the texts of warnings about runs, each once
	stop    func()              // ends the ticking of Tick, and waits for it
}

var (
	_ execute.Watch     = (*Progress)(nil)
	_ engine.OutputSink = (*Progress)(nil)
)

// New begins the telling; time counts from here.
func New(s Screen, o Options) *Progress {
	o.Groups = max(o.Groups, 1)
	return &Progress{
		of: o, screen: s, now: time.Now, begun: time.Now(), stop: func() {},
		last: map[engine.RunID]engine.Status{}, ended: map[engine.Status]int64{}, repeats: map[engine.Status]int64{},
		away: map[string]*absence{}, said: map[string]int{},
	}
}

// remember keeps the durations of the newest runs: the estimate follows them.
func (p *Progress) remember(seconds float64) {
	const window = 501
	if len(p.seconds) == window {
		p.seconds = slices.Delete(p.seconds, 0, 1)
	}
	p.seconds = append(p.seconds, seconds)
}

// done is how many runs have an end.
func (p *Progress) done() int64 { return p.of.Before + int64(len(p.last)) }

func (p *Progress) status() string {
	done := p.done()
	percent := 100.0
	if p.of.Total > 0 {
		percent = 100 * float64(done) / float64(p.of.Total)
	}
	text := fmt.Sprintf("%d/%d runs %3.0f %%  %s elapsed", done, p.of.Total, percent, amount.Duration(p.now().Sub(p.begun)))
	if left := p.left(done); left > 0 {
		text += "  about " + amount.Duration(left) + " left"
	}
	if bad := p.ended[engine.Failed] + p.ended[engine.TimedOut] + p.ended[engine.Unreachable]; bad > 0 {
		text += fmt.Sprintf("  %d not ok", bad)
	}
	if len(p.away) > 0 {
		text += "  " + p.without()
	}
	return text + "  " + p.current
}

// left estimates what remains from the median run; 0 while there is none. A group
// whose host is away does nothing.
func (p *Progress) left(done int64) time.Duration {
	groups := p.of.Groups - len(p.away)
	if len(p.seconds) < 3 || done >= p.of.Total || groups < 1 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(p.seconds))
	median := sorted[len(sorted)/2]
	return time.Duration(median * float64(p.of.Total-done) / float64(groups) * float64(time.Second)).Round(time.Second)
}

// Tick draws the line once a second, so that it is seen that a long run goes on.
// It ends with the progress.
func (p *Progress) Tick() {
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

// Finish clears the terminal's line and says what healed meanwhile.
func (p *Progress) Finish() {
	p.stop()
	p.lock.Lock()
	defer p.lock.Unlock()
	p.screen.clear()
	for _, status := range engine.Statuses {
		if n := p.repeats[status]; n > 0 {
			fmt.Fprintf(p.screen, "mpf: %s that ended %s: repeated\n", amount.Count(n, "attempt"), status)
		}
	}
	for _, text := range p.warned {
		if n := p.said[query.Numberless(text)]; n > 1 {
			fmt.Fprintf(p.screen, "mpf: warning: said once of %d times: %s\n", n, text)
		}
	}
}
