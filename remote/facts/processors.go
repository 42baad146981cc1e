package facts

import (
	"path"
	"slices"
	"strings"

	"mpf/engine"
)

// processors counts cores by their package and number.
func (f *finder) processors() {
	for line := range strings.Lines(f.text("/proc/cpuinfo")) {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(name) {
		case "model name", "CPU part":
			if _, known := f.facts["cpu_model"]; !known {
				f.facts["cpu_model"] = value
			}
		case "Hardware":
			f.facts["cpu_model"] = value
		case "microcode":
			f.facts["cpu_microcode"] = value
		}
	}
	sockets, cores := map[string]bool{}, map[string]bool{}
	packages := f.matching(cpus + "cpu[0-9]*/topology/physical_package_id")
	for _, file := range packages {
		sockets[file.Text] = true
		cores[file.Text+"/"+f.text(path.Dir(file.Path)+"/core_id")] = true
	}
	if len(packages) > 0 {
		f.facts["cpu_sockets"], f.facts["cpu_cores"], f.facts["cpu_threads"] = int64(len(sockets)), int64(len(cores)), int64(len(packages))
	}
	f.take("cpu_online", cpus+"online")
	f.take("cpu_isolated", cpus+"isolated")
	f.take("smt", cpus+"smt/control")
	f.facts["numa_nodes"] = int64(max(1, len(f.matching("/sys/devices/system/node/node[0-9]*/cpulist"))))
	f.mitigations()
}

// mitigations are the processor's weaknesses that the kernel does something
// about, and what.
func (f *finder) mitigations() {
	list := []engine.Value{}
	for _, file := range f.matching(cpus + "vulnerabilities/*") {
		if file.Text != "" && file.Text != "Not affected" {
			list = append(list, path.Base(file.Path)+": "+file.Text)
		}
	}
	f.facts["mitigations"] = list
}

// governors are those of all processors, each once: they may differ.
func (f *finder) governors() {
	var all []string
	for _, file := range f.matching(cpus + "cpu[0-9]*/cpufreq/scaling_governor") {
		all = append(all, file.Text)
	}
	slices.Sort(all)
	if len(all) > 0 {
		f.facts["governor"] = strings.Join(slices.Compact(all), ", ")
	}
}

func (f *finder) frequency() {
	const policy = cpus + "cpu0/cpufreq/"
	f.governors()
	f.take("frequency_driver", policy+"scaling_driver")
	f.takeNumber("frequency_min_khz", policy+"scaling_min_freq")
	f.takeNumber("frequency_max_khz", policy+"scaling_max_freq")
	if text := f.text(cpus + "intel_pstate/no_turbo"); text != "" {
		f.facts["turbo"] = text == "0"
	} else if text := f.text(cpus + "cpufreq/boost"); text != "" {
		f.facts["turbo"] = text == "1"
	}
}
