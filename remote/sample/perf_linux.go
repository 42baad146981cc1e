package sample

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A perfWatch keeps `perf stat` running over all CPUs and adds up what it
// counts.
type perfWatch struct {
	watcher Watcher

	mu      sync.Mutex
	counts  map[string]float64
	told    time.Duration   // when it counted that, by the monotonic clock
	refused map[string]bool // events that cannot be counted here
	said    string          // by perf, instead of counting
}

// perfInterval is how long perf may keep what it counted to itself: steps are cut
// by its words. It has lastWord to tell the rest at the end.
const (
	perfInterval = 100 * time.Millisecond
	lastWord     = 500 * time.Millisecond
)

func watchPerf(p Programs, period time.Duration, events []string, w warnings) *perfWatch {
	v := &perfWatch{counts: map[string]float64{}, refused: map[string]bool{}}
	var err error
	v.watcher, err = p.Watch(true, v.line, "perf", "stat", "-a", "-x", ",",
		"-I", strconv.FormatInt(min(max(period, 10*time.Millisecond), perfInterval).Milliseconds(), 10),
		"-e", strings.Join(events, ","))
	if err != nil {
		w.add("perf", "perf counters cannot be read: %v", err)
		return nil
	}
	return v
}

// enoughSaid bounds what is kept of a complaint of perf, whose first words are
// those that matter.
const enoughSaid = 300

func (v *perfWatch) line(text string) {
	event, count, ok := parsePerf(text)
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case ok && math.IsNaN(count):
		v.refused[event] = true
	case ok:
		v.counts[event] += count
		v.told = monotonic()
	case len(v.said) < enoughSaid:
		v.said = strings.TrimSpace(v.said + " " + strings.TrimSpace(text))
	}
}

// parsePerf reads a line of `perf stat -I -x ,`: time, count, unit, event. The
// count of an event that is not counted, in brackets, is NaN.
func parsePerf(text string) (event string, count float64, ok bool) {
	words := strings.Split(strings.TrimSpace(text), ",")
	if len(words) < 4 {
		return "", 0, false
	}
	if _, err := strconv.ParseFloat(strings.TrimSpace(words[0]), 64); err != nil {
		return "", 0, false
	}
	if strings.HasPrefix(words[1], "<") {
		return words[3], math.NaN(), true
	}
	count, err := strconv.ParseFloat(words[1], 64)
	return words[3], count, err == nil
}

func (v *perfWatch) read(extra map[string]float64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for event, count := range v.counts {
		extra[PerfPrefix+event] = count
		extra[PerfTold] = v.told.Seconds()
	}
}

// warn says what could not be counted, and what perf said if it counted nothing.
func (v *perfWatch) warn(w warnings) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for event := range v.refused {
		if _, counted := v.counts[event]; !counted {
			w.add("perf "+event, "perf cannot count %q on this host", event)
		}
	}
	if len(v.counts)+len(v.refused) == 0 && v.said != "" {
		w.add("perf", "perf counted nothing; it said %q", v.said)
	}
}
