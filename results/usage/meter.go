package usage

import (
	"cmp"
	"fmt"
	"math"
	"time"

	"mpf/engine"
)

// DefaultPeriod is the time between two readings unless said otherwise.
const DefaultPeriod = time.Second

// A Meter makes samples of the readings of one host during one attempt and
// hands them to Each in their order, two behind: a closing reading that comes
// less than half a period after the one before takes that one's place.
type Meter struct {
	Period time.Duration // of sampling; 0 is DefaultPeriod
	Each   func(Sample)

	readings int
	before   engine.Reading
	start    time.Duration
	counters [counterCount]counter
	held     []Sample // the last two at most
	cpus     int      // at the baseline; 0 is not known
	changed  bool     // CPUs came or went
	back     int      // readings whose clock did not go on
}

// A counter adds up what a counter of the host gained.
type counter struct {
	last  int64
	moved int64
	known bool // there were two values at least
	seen  bool
	reset bool
}

func (c *counter) add(now int64) {
	if now < 0 {
		return
	}
	if c.seen {
		c.known = true
		if now < c.last {
			c.reset = true
			c.moved += now
		} else {
			c.moved += now - c.last
		}
	}
	c.last, c.seen = now, true
}

func (c counter) mib() float64 {
	if !c.known {
		return math.NaN()
	}
	return float64(c.moved) / (1 << 20)
}

// Add takes the next reading; the first is the baseline.
func (m *Meter) Add(r engine.Reading) {
	if m.readings > 0 && r.Mono <= m.before.Mono {
		m.back++
		return
	}
	for i, now := range countersOf(&r) {
		m.counters[i].add(now)
	}
	if m.readings++; m.readings == 1 {
		m.before, m.start, m.cpus = r, r.Mono, max(0, r.CPUs)
		return
	}
	s := m.sample(&r)
	m.changed = m.changed || s.CPUs > 0 && m.cpus > 0 && s.CPUs != m.cpus
	m.before = r
	if len(m.held) > 1 {
		m.Each(m.held[0])
		m.held = append(m.held[:0], m.held[1])
	}
	m.held = append(m.held, s)
}

func countersOf(r *engine.Reading) [counterCount]int64 {
	return [...]int64{
		diskRead: r.DiskReadBytes, diskWritten: r.DiskWrittenBytes,
		loSent: r.NetLoSentBytes, extSent: r.NetExtSentBytes,
		loReceived: r.NetLoReceivedBytes, extReceived: r.NetExtReceivedBytes,
	}
}

func (m *Meter) sample(r *engine.Reading) Sample {
	s := Sample{
		Start: (m.before.Mono - m.start).Seconds(), End: (r.Mono - m.start).Seconds(), Wall: r.Wall,
		CPUs: max(0, r.CPUs), Avg: r.CPUMean, Min: r.CPUMin, Max: r.CPUMax, Mem: r.MemPercent, Disk: r.DiskPercent,
	}
	for i := range s.Moved {
		s.Moved[i] = m.counters[i].mib()
	}
	return s
}

// End passes on what is held. It is called once, after the last reading.
func (m *Meter) End() {
	if n := len(m.held); n == 2 && m.held[1].Weight() < m.period()/2 {
		m.held = append(m.held[:0], together(m.held[0], m.held[1]))
	}
	for _, s := range m.held {
		m.Each(s)
	}
	m.held = nil
}

func (m *Meter) period() float64 {
	return cmp.Or(m.Period, DefaultPeriod).Seconds()
}

// together makes one sample of two. The CPU values of the CPUs are not known
// any more, so their mean, minimum and maximum are averaged by time.
func together(a, b Sample) Sample {
	both := b
	both.Start = a.Start
	both.Avg = blend(a, b, a.Avg, b.Avg)
	both.Min = blend(a, b, a.Min, b.Min)
	both.Max = blend(a, b, a.Max, b.Max)
	return both
}

func blend(a, b Sample, x, y float64) float64 {
	if math.IsNaN(x) {
		return y
	}
	if math.IsNaN(y) {
		return x
	}
	return (x*a.Weight() + y*b.Weight()) / (a.Weight() + b.Weight())
}

// Readings returns how many there were.
func (m *Meter) Readings() int { return m.readings }

// CPUs returns the number of CPUs at the baseline; 0 is not known.
func (m *Meter) CPUs() int { return m.cpus }

// Warnings says what is doubtful about the samples.
func (m *Meter) Warnings() []string {
	var warnings []string
	switch m.readings {
	case 0:
		return []string{"no readings: nothing was sampled"}
	case 1:
		return []string{"one reading alone: nothing was sampled"}
	}
	names := [...]string{"disk read", "disk written", "loopback sent", "external sent", "loopback received", "external received"}
	for i, c := range m.counters {
		if c.reset {
			warnings = append(warnings, fmt.Sprintf("counter %q went down: it was reset and counts from 0", names[i]))
		}
	}
	if !m.counters[diskRead].known && !m.counters[diskWritten].known {
		warnings = append(warnings, "no disk could be read")
	}
	if m.changed {
		warnings = append(warnings, fmt.Sprintf("CPUs came or went: %d at the beginning", m.cpus))
	}
	if m.back > 0 {
		warnings = append(warnings, fmt.Sprintf("readings without a later clock: %d left out", m.back))
	}
	return warnings
}
