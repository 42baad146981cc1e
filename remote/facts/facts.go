package facts

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mpf/engine"
	"mpf/remote/wire"
)

const (
	cpus = "/sys/devices/system/cpu/"
	nics = "/sys/class/net/"
)

// Patterns of the files that are read.
func Patterns() []string {
	patterns := []string{
		"/proc/cpuinfo", "/proc/meminfo", "/proc/loadavg", "/proc/stat", "/proc/vmstat", "/proc/uptime", "/proc/cmdline",
		"/etc/os-release", "/proc/sys/kernel/random/boot_id", "/proc/sys/kernel/randomize_va_space",
		"/proc/sys/net/ipv4/tcp_congestion_control", "/sys/kernel/mm/transparent_hugepage/enabled",
		"/sys/devices/system/clocksource/clocksource0/current_clocksource", "/sys/devices/system/node/node[0-9]*/cpulist",
		"/sys/class/thermal/thermal_zone*/temp", "/sys/class/dmi/id/product_name", "/sys/hypervisor/type",
		"/.dockerenv", "/run/.containerenv", "/run/systemd/container",
	}
	for _, name := range []string{
		"online", "isolated", "smt/control", "intel_pstate/no_turbo", "cpufreq/boost", "vulnerabilities/*",
		"cpu[0-9]*/topology/physical_package_id", "cpu[0-9]*/topology/core_id", "cpu[0-9]*/thermal_throttle/core_throttle_count",
		"cpu[0-9]*/cpufreq/scaling_cur_freq", "cpu[0-9]*/cpufreq/scaling_governor", "cpu0/cpufreq/scaling_driver",
		"cpu0/cpufreq/scaling_min_freq", "cpu0/cpufreq/scaling_max_freq",
	} {
		patterns = append(patterns, cpus+name)
	}
	for _, name := range []string{"mtu", "speed", "operstate", "device/uevent"} {
		patterns = append(patterns, nics+"*/"+name)
	}
	return patterns
}

// From makes facts of what was found.
func From(files []wire.File) map[string]engine.Value {
	f := finder{files: files, facts: map[string]engine.Value{}}
	f.system()
	f.processors()
	f.frequency()
	f.memory()
	f.network()
	f.moment()
	return f.facts
}

// A finder fills in facts.
type finder struct {
	files []wire.File
	facts map[string]engine.Value
}

// text is what a file holds; empty if there is none.
func (f *finder) text(path string) string {
	for _, file := range f.files {
		if file.Path == path {
			return file.Text
		}
	}
	return ""
}

func (f *finder) has(path string) bool {
	return slices.ContainsFunc(f.files, func(file wire.File) bool { return file.Path == path })
}

// matching lists the files that a pattern matches.
func (f *finder) matching(pattern string) []wire.File {
	var found []wire.File
	for _, file := range f.files {
		if ok, err := path.Match(pattern, file.Path); ok && err == nil {
			found = append(found, file)
		}
	}
	return found
}

// numbers are those in the files that a pattern matches.
func (f *finder) numbers(pattern string) []int64 {
	var found []int64
	for _, file := range f.matching(pattern) {
		if n, err := strconv.ParseInt(file.Text, 10, 64); err == nil {
			found = append(found, n)
		}
	}
	return found
}

// take adds a file's content as a fact, if there is one.
func (f *finder) take(name, path string) {
	if text := f.text(path); text != "" {
		f.facts[name] = text
	}
}

func (f *finder) takeNumber(name, path string) {
	if n, err := strconv.ParseInt(f.text(path), 10, 64); err == nil {
		f.facts[name] = n
	}
}

func (f *finder) system() {
	for line := range strings.Lines(f.text("/etc/os-release")) {
		if name, ok := strings.CutPrefix(line, "PRETTY_NAME="); ok {
			f.facts["distribution"] = strings.Trim(strings.TrimSpace(name), `"`)
		}
	}
	f.take("boot_id", "/proc/sys/kernel/random/boot_id")
	f.take("kernel_arguments", "/proc/cmdline")
	f.take("huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled")
	f.take("aslr", "/proc/sys/kernel/randomize_va_space")
	f.take("clock_source", "/sys/devices/system/clocksource/clocksource0/current_clocksource")
	kind := "none"
	if strings.Contains(f.text("/proc/cpuinfo"), " hypervisor") {
		kind = "guest"
		for _, path := range []string{"/sys/hypervisor/type", "/sys/class/dmi/id/product_name"} {
			if name := f.text(path); name != "" {
				kind = name
			}
		}
	}
	f.facts["virtualisation"] = kind
	f.facts["container"] = f.has("/.dockerenv") || f.has("/run/.containerenv") || f.has("/run/systemd/container")
}

func (f *finder) memory() {
	for line := range strings.Lines(f.text("/proc/meminfo")) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		name := map[string]string{"MemTotal:": "memory_bytes", "SwapTotal:": "swap_bytes"}[words[0]]
		if kib, err := strconv.ParseInt(words[1], 10, 64); err == nil && name != "" {
			f.facts[name] = kib << 10
		}
	}
}

// network lists the interfaces but loopback, each with its driver, speed and
// MTU.
func (f *finder) network() {
	list := []engine.Value{}
	for _, file := range f.matching(nics + "*/mtu") {
		folder := path.Dir(file.Path)
		name := path.Base(folder)
		if name == "lo" {
			continue
		}
		words := []string{name}
		for line := range strings.Lines(f.text(folder + "/device/uevent")) {
			if driver, ok := strings.CutPrefix(strings.TrimSpace(line), "DRIVER="); ok {
				words = append(words, "driver="+driver)
			}
		}
		if speed := f.text(folder + "/speed"); speed != "" && speed != "-1" {
			words = append(words, "mbit="+speed)
		}
		words = append(words, "mtu="+file.Text, "state="+f.text(folder+"/operstate"))
		list = append(list, strings.Join(words, " "))
	}
	f.facts["nics"] = list
	f.take("tcp_congestion_control", "/proc/sys/net/ipv4/tcp_congestion_control")
}
