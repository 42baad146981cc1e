package usage

// A Gain adds up by how much named counters grew in a window. What they grew by
// between two readings is taken as spread evenly.
type Gain struct {
	From, To float64 // seconds since the baseline

	begun  bool
	before float64 // when they were read last
	totals map[string]float64
	sums   map[string]float64
}

// Add takes the counters at a moment, in seconds since the baseline. Those of the
// first moment are the baseline; those of a moment that was told of before wait
// for the next one, and a moment of which nothing is told is none.
func (g *Gain) Add(at float64, totals map[string]float64) {
	if g.begun && (at <= g.before || totals == nil) {
		return
	}
	if overlap := min(g.To, at) - max(g.From, g.before); g.begun && overlap > 0 {
		if g.sums == nil {
			g.sums = map[string]float64{}
		}
		for name, total := range totals {
			g.sums[name] += (total - g.totals[name]) * overlap / (at - g.before)
		}
	}
	g.begun, g.before, g.totals = true, at, totals
}

// Sums returns what each counter gained so far; nil if nothing is known.
func (g *Gain) Sums() map[string]float64 { return g.sums }
