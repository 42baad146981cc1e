package tables

import (
	"time"

	"mpf/engine"
	"mpf/results/record"
	"mpf/results/usage"
)

// A stepWindow is what the readings of its host say of a step.
type stepWindow struct {
	ordinal int // of the step in its attempt
	start   time.Time
	seconds float64
	metrics usage.Cut
	perf    usage.Gain
}

// windowsOf makes windows of the steps of a host.
func windowsOf(steps []engine.StepRecord, host string) []stepWindow {
	var windows []stepWindow
	for i := range steps {
		if s := &steps[i]; s.Host == host {
			windows = append(windows, stepWindow{ordinal: i, start: s.Start, seconds: s.Seconds})
		}
	}
	return windows
}

// begin places the window after the first reading, of which the controller's time
// is given.
func (w *stepWindow) begin(baseline time.Time) {
	from := w.start.Sub(baseline).Seconds()
	w.metrics.From, w.metrics.To = from, from+w.seconds
	w.perf.From, w.perf.To = from, from+w.seconds
}

// stepWindows are those of an attempt by the steps' ordinals; none where nothing
// was sampled.
type stepWindows []*stepWindow

func byStep(a *record.Attempt, hosts []*measured) stepWindows {
	var windows stepWindows
	for _, m := range hosts {
		for i := range m.steps {
			if windows == nil {
				windows = make(stepWindows, len(a.Done.Steps))
			}
			windows[m.steps[i].ordinal] = &m.steps[i]
		}
	}
	return windows
}

// of returns the window of a step; one without samples where there are none.
func (w stepWindows) of(ordinal int) *stepWindow {
	if w == nil || w[ordinal] == nil {
		return &stepWindow{}
	}
	return w[ordinal]
}

// window writes what was seen of a step.
func (w *rowWriter) window(seen *stepWindow) {
	fold := seen.metrics.Fold()
	for _, x := range fold.Metrics() {
		w.maybe(x)
	}
	perf := ""
	if counted := seen.perf.Sums(); counted != nil {
		perf = asJSON(counted)
	}
	w.text(perf)
	w.int(int64(fold.Samples()))
	w.float(fold.Window())
}
