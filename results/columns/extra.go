package columns

import "strings"

// ExtraColumn describes an optional reading by its name: what is read, of which,
// and what of it, as in disk.sda.read_bytes.
func ExtraColumn(name string) Column {
	for _, k := range extraKinds() {
		of, begins := strings.CutPrefix(name, k.prefix)
		of, ends := strings.CutSuffix(of, k.suffix)
		if begins && ends {
			return readingColumn(name, Float, k.unit, strings.ReplaceAll(k.description, "*", of))
		}
	}
	return readingColumn(name, Float, "", "extra reading")
}

// ExtraColumns describes all optional readings; * in a name stands for what they
// are of.
func ExtraColumns() []Column {
	var list []Column
	for _, k := range extraKinds() {
		name := k.prefix + "*" + k.suffix
		if k.prefix == "process." || k.prefix == "perf_mono" {
			name = k.prefix + k.suffix
		}
		list = append(list, readingColumn(name, Float, k.unit, k.description))
	}
	return list
}

type extraKind struct{ prefix, suffix, unit, description string }

// extraKinds lists optional readings; * stands for what they are of.
func extraKinds() []extraKind {
	return []extraKind{
		{"mount.", ".percent", "%", "used share of the file system at *"},
		{"disk.", ".read_bytes", "B", "read from the disk *, counted since boot"},
		{"disk.", ".written_bytes", "B", "written to the disk *, counted since boot"},
		{"nic.", ".sent_bytes", "B", "sent on the interface *, counted since boot"},
		{"nic.", ".received_bytes", "B", "received on the interface *, counted since boot"},
		{"process.", "count", "", "processes of the run that are alive"},
		{"process.", "cpu_seconds", "s", "CPU time of the processes of the run that are alive: it falls when one ends"},
		{"process.", "resident_bytes", "B", "resident memory of the processes of the run that are alive, shared pages in each"},
		{"gpu.", ".utilization_percent", "%", "use of GPU *"},
		{"gpu.", ".memory_used_mib", "MiB", "memory of GPU * in use"},
		{"gpu.", ".memory_total_mib", "MiB", "memory of GPU *"},
		{"gpu.", ".power_watts", "W", "power of GPU *"},
		{"pressure.", ".some_seconds", "s", "time in which some task waited for *, counted since boot"},
		{"pressure.", ".full_seconds", "s", "time in which all tasks waited for *, counted since boot"},
		{"perf_mono", "", "s", "the host's monotonic clock when perf counted that"},
		{"perf.", "", "", "what perf counted of * on all CPUs since the run began, clocks in ms"},
	}
}
