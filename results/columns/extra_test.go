package columns

import "testing"

// Each optional reading says what it is and in which unit; the longest name of a
// device changes nothing.
func TestExtraReadingsSayTheirUnit(t *testing.T) {
	for name, want := range map[string][2]string{
		"mount./data.v1.percent":    {"%", "used share of the file system at /data.v1"},
		"disk.nvme0n1.read_bytes":   {"B", "read from the disk nvme0n1, counted since boot"},
		"nic.eth0.100.sent_bytes":   {"B", "sent on the interface eth0.100, counted since boot"},
		"process.cpu_seconds":       {"s", "CPU time of the processes of the run that are alive: it falls when one ends"},
		"gpu.0.memory_used_mib":     {"MiB", "memory of GPU 0 in use"},
		"pressure.io.full_seconds":  {"s", "time in which all tasks waited for io, counted since boot"},
		"perf.task-clock":           {"", "what perf counted of task-clock on all CPUs since the run began, clocks in ms"},
		"perf_mono":                 {"s", "the host's monotonic clock when perf counted that"},
		"something.of.a.later.time": {"", "extra reading"},
	} {
		if c := ExtraColumn(name); c.Name != name || c.Unit != want[0] || c.Description != want[1] {
			t.Errorf("%s: %q, %q", name, c.Unit, c.Description)
		}
	}
}
