package usage

import "math"

// Metric numbers one of the eighteen metrics.
type Metric int

const (
	Over20 Metric = iota
	Over40
	Over80
	At100
	Utilization
	MaxCPUAvg
	MaxCPUMax
	MaxCPUMin
	CPUHours
	UnusedCPUHours
	MaxMem
	MaxDisk
	DiskRead
	DiskWritten
	LoSent
	ExtSent
	LoReceived
	ExtReceived

	metricCount
)

// Metrics holds a value for each metric; NaN is null.
type Metrics [metricCount]float64

// NoMetrics has no value at all.
func NoMetrics() Metrics {
	var m Metrics
	for i := range m {
		m[i] = math.NaN()
	}
	return m
}

// A Description says what a metric means.
type Description struct {
	Name, Unit, Text string
}

// Descriptions lists the metrics in their order.
func Descriptions() [metricCount]Description {
	return [metricCount]Description{
		{"cpu_avg_utilization_over20_pct", "%", "share of the time in which the mean over the CPUs is at least 20 %"},
		{"cpu_avg_utilization_over40_pct", "%", "share of the time in which the mean over the CPUs is at least 40 %"},
		{"cpu_avg_utilization_over80_pct", "%", "share of the time in which the mean over the CPUs is at least 80 %"},
		{"cpu_avg_utilization_at100_pct", "%", "share of the time in which all CPUs are fully busy"},
		{"cpu_avg_utilization_pct", "%", "mean use of the CPUs, weighted by time"},
		{"max_t_cpu_pct_per_cpu_avg", "%", "largest mean over the CPUs in one sample"},
		{"max_t_cpu_pct_per_cpu_max", "%", "largest value of the busiest CPU in one sample"},
		{"max_t_cpu_pct_per_cpu_min", "%", "largest value of the idlest CPU in one sample"},
		{"node_cpu_hours", "h", "time by number of CPUs"},
		{"node_unused_cpu_hours", "h", "time by number of CPUs by unused share"},
		{"max_t_mem_percent", "%", "largest use of memory"},
		{"max_t_disk_usage_percent", "%", "largest use of the file system at /"},
		{"total_disk_io_read_mb", "MiB", "read from disks in the window"},
		{"total_disk_io_write_mb", "MiB", "written to disks in the window"},
		{"total_net_io_lo_sent_mb", "MiB", "sent on loopback in the window"},
		{"total_net_io_ext_sent_mb", "MiB", "sent on external interfaces in the window"},
		{"total_net_io_lo_recv_mb", "MiB", "received on loopback in the window"},
		{"total_net_io_ext_recv_mb", "MiB", "received on external interfaces in the window"},
	}
}
