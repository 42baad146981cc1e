package progress

import (
	"fmt"
	"io"
	"time"

	"mpf/results/grid"
)

// A Screen is where progress is shown.
type Screen struct {
	io.Writer
	Terminal bool       // it can write a line again
	Width    func() int // of its lines, in characters
}

// anew begins the terminal's line once more.
const anew = "\r\x1b[K"

// clear removes the terminal's line.
func (s Screen) clear() {
	if s.Terminal {
		fmt.Fprint(s, anew)
	}
}

// draw writes the terminal's line again, at most ten times a second, once there
// is something to tell.
func (p *Progress) draw(force bool) {
	now := p.now()
	if !p.screen.Terminal || p.of.Live || !p.started || !force && now.Sub(p.printed) < 100*time.Millisecond {
		return
	}
	p.printed = now
	fmt.Fprint(p.screen, anew+grid.Clip(p.status(), p.screen.Width()-1))
}

// above prints lines over the terminal's line.
func (p *Progress) above(text string) {
	p.screen.clear()
	fmt.Fprintln(p.screen, text)
	p.draw(true)
}

func (p *Progress) line(format string, args ...any) {
	p.lock.Lock()
	defer p.lock.Unlock()
	p.above("mpf: " + fmt.Sprintf(format, args...))
}
