package sample

import (
	"math"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A gpuWatch keeps nvidia-smi running and remembers what it said last.
type gpuWatch struct {
	watcher Watcher

	mu   sync.Mutex
	last map[string]float64
	at   time.Time     // of its last word
	old  time.Duration // after which a word says nothing of now
	said string        // instead of values
}

// gpuFields is what is asked of each GPU, and what a line of the answer holds.
const gpuFields = "index,utilization.gpu,memory.used,memory.total,power.draw"

func watchGPUs(p Programs, period time.Duration, w warnings) *gpuWatch {
	period = max(period, 100*time.Millisecond)
	g := &gpuWatch{last: map[string]float64{}, old: 3*period + 2*time.Second}
	var err error
	g.watcher, err = p.Watch(false, g.line, "nvidia-smi",
		"--query-gpu="+gpuFields, "--format=csv,noheader,nounits",
		"--loop-ms="+strconv.FormatInt(period.Milliseconds(), 10))
	if err != nil {
		w.add("gpu", "GPUs cannot be read: %v", err)
		return nil
	}
	return g
}

func (g *gpuWatch) line(text string) {
	values, ok := parseGPU(text)
	g.mu.Lock()
	defer g.mu.Unlock()
	if !ok {
		if len(g.said) < enoughSaid {
			g.said = strings.TrimSpace(g.said + " " + strings.TrimSpace(text))
		}
		return
	}
	g.at = time.Now()
	for name, value := range values {
		g.last[name] = value
	}
}

func (g *gpuWatch) read(extra map[string]float64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.watcher.Ended() || time.Since(g.at) > g.old {
		return
	}
	for name, value := range g.last {
		extra[name] = value
	}
}

// warn says what nvidia-smi said if it told of no GPU.
func (g *gpuWatch) warn(w warnings) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.last) == 0 && g.said != "" {
		w.add("nvidia-smi", "no GPU was read; nvidia-smi said %q", g.said)
	}
}

// parseGPU reads a line of gpuFields. A value in brackets is not to be had.
func parseGPU(text string) (map[string]float64, bool) {
	words := strings.Split(text, ",")
	if len(words) < 4 || len(words) > 5 {
		return nil, false
	}
	index, err := strconv.Atoi(strings.TrimSpace(words[0]))
	if err != nil {
		return nil, false
	}
	prefix := GPUPrefix + strconv.Itoa(index) + "."
	values := map[string]float64{
		prefix + "utilization_percent": number(words[1]),
		prefix + "memory_used_mib":     number(words[2]),
		prefix + "memory_total_mib":    number(words[3]),
	}
	if len(words) == 5 {
		values[prefix+"power_watts"] = number(words[4])
	}
	return values, true
}

func number(word string) float64 {
	value, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
	if err != nil {
		return math.NaN()
	}
	return value
}
