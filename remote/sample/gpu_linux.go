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
}

// gpuFields is what is asked of each GPU, and what a line of the answer holds.
const gpuFields = "index,utilization.gpu,memory.used,memory.total"

func watchGPUs(p Programs, period time.Duration, w warnings) *gpuWatch {
	g := &gpuWatch{last: map[string]float64{}}
	var err error
	g.watcher, err = p.Watch(false, g.line, "nvidia-smi",
		"--query-gpu="+gpuFields, "--format=csv,noheader,nounits",
		"--loop-ms="+strconv.FormatInt(max(period, 100*time.Millisecond).Milliseconds(), 10))
	if err != nil {
		w.add("gpu", "GPUs cannot be read: %v", err)
		return nil
	}
	return g
}

func (g *gpuWatch) line(text string) {
	values, ok := parseGPU(text)
	if !ok {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	for name, value := range values {
		g.last[name] = value
	}
}

func (g *gpuWatch) read(extra map[string]float64) {
	g.mu.Lock()
	defer g.mu.Unlock()
	for name, value := range g.last {
		extra[name] = value
	}
}

// parseGPU reads a line of gpuFields. A value in brackets is not to be had.
func parseGPU(text string) (map[string]float64, bool) {
	words := strings.Split(text, ",")
	if len(words) != 4 {
		return nil, false
	}
	index, err := strconv.Atoi(strings.TrimSpace(words[0]))
	if err != nil {
		return nil, false
	}
	prefix := GPUPrefix + strconv.Itoa(index) + "."
	return map[string]float64{
		prefix + "utilization_percent": number(words[1]),
		prefix + "memory_used_mib":     number(words[2]),
		prefix + "memory_total_mib":    number(words[3]),
	}, true
}

func number(word string) float64 {
	value, err := strconv.ParseFloat(strings.TrimSpace(word), 64)
	if err != nil {
		return math.NaN()
	}
	return value
}
