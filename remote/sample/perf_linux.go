package sample

import (
	"strconv"
	"strings"
	"sync"
	"time"
)

// A perfWatch keeps `perf stat` running over all CPUs and adds up what it
// counts.
type perfWatch struct {
	watcher Watcher

	mu     sync.Mutex
	counts map[string]float64
	errors string // what perf said instead of counting
}

func watchPerf(p Programs, period time.Duration, events []string, w warnings) *perfWatch {
	v := &perfWatch{counts: map[string]float64{}}
	var err error
	v.watcher, err = p.Watch(true, v.line, "perf", "stat", "-a", "-x", ",",
		"-I", strconv.FormatInt(max(period, 10*time.Millisecond).Milliseconds(), 10),
		"-e", strings.Join(events, ","))
	if err != nil {
		w.add("perf", "perf counters cannot be read: %v", err)
		return nil
	}
	return v
}

func (v *perfWatch) line(text string) {
	event, count, ok := parsePerf(text)
	v.mu.Lock()
	defer v.mu.Unlock()
	switch {
	case ok:
		v.counts[event] += count
	case len(v.counts) == 0 && v.errors == "":
		v.errors = strings.TrimSpace(text)
	}
}

// parsePerf reads a line of `perf stat -I -x ,`: time, count, unit, event.
func parsePerf(text string) (event string, count float64, ok bool) {
	words := strings.Split(strings.TrimSpace(text), ",")
	if len(words) < 4 {
		return "", 0, false
	}
	if _, err := strconv.ParseFloat(strings.TrimSpace(words[0]), 64); err != nil {
		return "", 0, false
	}
	count, err := strconv.ParseFloat(words[1], 64)
	return words[3], count, err == nil
}

func (v *perfWatch) read(extra map[string]float64) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for event, count := range v.counts {
		extra[PerfPrefix+event] = count
	}
}

// complaint is what perf said if it counted nothing.
func (v *perfWatch) complaint() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	if len(v.counts) > 0 {
		return ""
	}
	return v.errors
}
