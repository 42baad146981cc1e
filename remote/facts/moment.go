package facts

import (
	"slices"
	"strconv"
	"strings"

	"mpf/engine"
)

// Passing are the names of facts that tell of a moment, and not of the machine.
func Passing() []string {
	return []string{
		"agent_go", "boot_id", "busy_seconds", "clock_error_seconds", "cpu_seconds", "frequency_now_max_khz", "frequency_now_mean_khz", "frequency_now_min_khz",
		"heavy_processes", "load_1", "load_5", "load_15", "process_count", "steal_seconds", "swap_in_pages", "swap_out_pages",
		"temperature_celsius", "temporary_free_bytes", "throttled", "uptime_seconds",
	}
}

// moment is what goes on now: a noise report compares two looks at it.
func (f *finder) moment() {
	if words := strings.Fields(f.text("/proc/loadavg")); len(words) >= 3 {
		for i, name := range []string{"load_1", "load_5", "load_15"} {
			f.float(name, words[i], 1)
		}
	}
	if words := strings.Fields(f.text("/proc/uptime")); len(words) > 0 {
		f.float("uptime_seconds", words[0], 1)
	}
	f.ticks()
	for line := range strings.Lines(f.text("/proc/vmstat")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		n, err := strconv.ParseInt(value, 10, 64)
		if direction, ok := strings.CutPrefix(name, "pswp"); ok && err == nil {
			f.facts["swap_"+direction+"_pages"] = n
		}
	}
	f.heat()
}

func (f *finder) float(name, text string, unit float64) {
	if value, err := strconv.ParseFloat(text, 64); err == nil {
		f.facts[name] = plain(value * unit)
	}
}

// plain is a number as JSON brings it back: an int where it is whole.
func plain(x float64) engine.Value {
	if whole := int64(x); float64(whole) == x {
		return whole
	}
	return x
}

// ticks are the processors' time since boot, and what the hypervisor took of it.
func (f *finder) ticks() {
	first, _, _ := strings.Cut(f.text("/proc/stat"), "\n")
	words := strings.Fields(first)
	if len(words) < 9 || words[0] != "cpu" {
		return
	}
	const tick = 0.01
	total, idle := 0.0, 0.0
	for i, word := range words[1:9] { // those after them are in user and nice
		n, err := strconv.ParseFloat(word, 64)
		if err != nil {
			return
		}
		total += n
		if i == 3 || i == 4 { // idle, or waiting for a disk
			idle += n
		}
	}
	f.facts["cpu_seconds"], f.facts["busy_seconds"] = plain(total*tick), plain((total-idle)*tick)
	f.float("steal_seconds", words[8], tick)
}

// heat adds the hottest zone, how often processors were throttled, and what
// frequency they have.
func (f *finder) heat() {
	if zones := f.numbers("/sys/class/thermal/thermal_zone*/temp"); zones != nil {
		f.facts["temperature_celsius"] = plain(float64(slices.Max(zones)) / 1000)
	}
	if counts := f.numbers(cpus + "cpu[0-9]*/thermal_throttle/core_throttle_count"); counts != nil {
		f.facts["throttled"] = sum(counts)
	}
	if now := f.numbers(cpus + "cpu[0-9]*/cpufreq/scaling_cur_freq"); now != nil {
		f.facts["frequency_now_min_khz"], f.facts["frequency_now_max_khz"] = slices.Min(now), slices.Max(now)
		f.facts["frequency_now_mean_khz"] = sum(now) / int64(len(now))
	}
}

func sum(all []int64) (total int64) {
	for _, n := range all {
		total += n
	}
	return total
}
