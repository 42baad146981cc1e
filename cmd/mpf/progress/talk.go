package progress

import (
	"strings"

	"mpf/engine"
)

func (p *Progress) SettingUp(what, host string) { p.line("setup %q on %s", what, host) }

func (p *Progress) Warned(run engine.Run, w engine.Warning) {
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

// Logged shows what steps log: the first lines of each step, as all of them are
// kept with their runs.
func (p *Progress) Logged(run engine.Run, step, host, text string) {
	const few = 10
	for text := range strings.Lines(strings.TrimRight(text, "\n")) {
		p.lock.Lock()
		p.said["log "+step]++
		n := p.said["log "+step]
		p.lock.Unlock()
		switch text = strings.TrimRight(text, "\r\n"); {
		case p.of.Live || n <= few:
			p.line("%s on %s: %s", step, host, engine.Shown(text))
		case n == few+1:
			p.line("what step %q logs is not shown any more; of any run: mpf show --run ID; of all: mpf run -v", step)
		}
	}
}

// Write shows live output; it makes a Progress an engine.OutputSink.
func (p *Progress) Write(host, command string, stderr bool, data []byte) {
	for line := range strings.Lines(string(data)) {
		p.line("%s %s: %q", host, command, strings.TrimRight(line, "\r\n"))
	}
}
