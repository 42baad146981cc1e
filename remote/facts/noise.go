package facts

import (
	"fmt"
	"math"
	"slices"

	"mpf/engine"
)

// A Look is what disturbed a host at a moment. What it does not tell is nil.
type Look struct {
	Load          *float64 `json:"load_1"`
	CPUSeconds    *float64 `json:"cpu_seconds"`   // of all processors, since boot
	StealSeconds  *float64 `json:"steal_seconds"` // that the hypervisor took of it
	FrequencyMin  *float64 `json:"frequency_min_khz"`
	FrequencyMean *float64 `json:"frequency_mean_khz"`
	FrequencyMax  *float64 `json:"frequency_max_khz"`
	Temperature   *float64 `json:"temperature_celsius"`
	Throttled     *float64 `json:"throttled"`      // times, since boot
	SwapIn        *float64 `json:"swap_in_pages"`  // since boot
	SwapOut       *float64 `json:"swap_out_pages"` // since boot
	Heavy         []string `json:"heavy_processes"`
}

// A Noise compares two looks at a host. What one of them does not tell is nil,
// and so is every difference over a reboot.
type Noise struct {
	Before       Look     `json:"before"`
	After        *Look    `json:"after"` // nil: the host was out of reach
	Rebooted     bool     `json:"rebooted"`
	Seconds      *float64 `json:"seconds"`
	BusyPercent  *float64 `json:"busy_percent"`  // of all processors: the experiment's work as well
	StealPercent *float64 `json:"steal_percent"` // likewise
	Throttled    *float64 `json:"throttled"`     // times
	SwapIn       *float64 `json:"swap_in_pages"`
	SwapOut      *float64 `json:"swap_out_pages"`
	Changed      []string `json:"changed,omitempty"` // facts that are others now, in words
}

// NoiseOf compares the facts of a host at two moments; after may be nil.
func NoiseOf(before, after map[string]engine.Value) Noise {
	n := Noise{Before: lookOf(before)}
	if after == nil {
		return n
	}
	now := lookOf(after)
	n.After = &now
	if before["boot_id"] != after["boot_id"] {
		n.Rebooted = true
		return n
	}
	n.Seconds = difference(number(before, "uptime_seconds"), number(after, "uptime_seconds"))
	n.Throttled = difference(n.Before.Throttled, now.Throttled)
	n.SwapIn, n.SwapOut = difference(n.Before.SwapIn, now.SwapIn), difference(n.Before.SwapOut, now.SwapOut)
	total := difference(n.Before.CPUSeconds, now.CPUSeconds)
	n.StealPercent = percent(difference(n.Before.StealSeconds, now.StealSeconds), total)
	n.BusyPercent = percent(difference(number(before, "busy_seconds"), number(after, "busy_seconds")), total)
	return n
}

func lookOf(facts map[string]engine.Value) Look {
	l := Look{
		Load: number(facts, "load_1"), CPUSeconds: number(facts, "cpu_seconds"), StealSeconds: number(facts, "steal_seconds"),
		FrequencyMin: number(facts, "frequency_now_min_khz"), FrequencyMean: number(facts, "frequency_now_mean_khz"),
		FrequencyMax: number(facts, "frequency_now_max_khz"), Temperature: number(facts, "temperature_celsius"),
		Throttled: number(facts, "throttled"), SwapIn: number(facts, "swap_in_pages"), SwapOut: number(facts, "swap_out_pages"),
		Heavy: []string{},
	}
	heavy, _ := facts["heavy_processes"].([]engine.Value)
	for _, name := range heavy {
		l.Heavy = append(l.Heavy, engine.FormatValue(name))
	}
	return l
}

func number(facts map[string]engine.Value, name string) *float64 {
	var x float64
	switch v := facts[name].(type) {
	case int64:
		x = float64(v)
	case float64:
		x = v
	default:
		return nil
	}
	return &x
}

// difference is nil where a counter is missing or went back.
func difference(before, after *float64) *float64 {
	if before == nil || after == nil || *after < *before {
		return nil
	}
	d := math.Round((*after-*before)*1000) / 1000
	return &d
}

func percent(part, whole *float64) *float64 {
	if part == nil || whole == nil || *whole <= 0 {
		return nil
	}
	p := math.Round(min(*part / *whole, 1)*1000) / 10
	return &p
}

// Words say what of the noise makes figures doubtful; none if nothing does.
func (n Noise) Words() []string {
	var words []string
	add := func(x *float64, least float64, format string) {
		if x != nil && *x >= least {
			words = append(words, fmt.Sprintf(format, *x))
		}
	}
	if n.After == nil {
		return nil
	}
	if n.Rebooted {
		words = append(words, "rebooted")
	}
	add(n.StealPercent, 1, "%.1f %% of its time stolen")
	add(n.Throttled, 1, "throttled %.0f times by heat")
	if n.SwapIn != nil && n.SwapOut != nil {
		pages := *n.SwapIn + *n.SwapOut
		add(&pages, 1, "%.0f pages swapped")
	}
	for _, name := range n.After.Heavy {
		if !slices.Contains(n.Before.Heavy, name) {
			words = append(words, fmt.Sprintf("process %q came to be busy", name))
		}
	}
	return words
}
