package columns

import "mpf/engine"

// A ReadingColumn is a number of a reading as a column. One of Int and Float is
// set; a negative int and a NaN were not to be had, and are null.
type ReadingColumn struct {
	Column
	Int   func(*engine.Reading) *int64
	Float func(*engine.Reading) *float64
}

// ReadingColumns lists the numbers of a reading, without its times and extras.
func ReadingColumns() []ReadingColumn {
	return []ReadingColumn{
		gauge("cpu_mean", "%", "busy share since the reading before, mean over the CPUs", func(r *engine.Reading) *float64 { return &r.CPUMean }),
		gauge("cpu_min", "%", "the same, of the idlest CPU", func(r *engine.Reading) *float64 { return &r.CPUMin }),
		gauge("cpu_max", "%", "the same, of the busiest CPU", func(r *engine.Reading) *float64 { return &r.CPUMax }),
		gauge("cpu_user", "s", "time in user mode, all CPUs together, counted since boot", func(r *engine.Reading) *float64 { return &r.CPUUser }),
		gauge("cpu_nice", "s", "the same, niced", func(r *engine.Reading) *float64 { return &r.CPUNice }),
		gauge("cpu_system", "s", "the same, in the kernel", func(r *engine.Reading) *float64 { return &r.CPUSystem }),
		gauge("cpu_idle", "s", "the same, idle", func(r *engine.Reading) *float64 { return &r.CPUIdle }),
		gauge("cpu_iowait", "s", "the same, idle while I/O is pending", func(r *engine.Reading) *float64 { return &r.CPUIOWait }),
		gauge("cpu_irq", "s", "the same, in interrupts", func(r *engine.Reading) *float64 { return &r.CPUIRQ }),
		gauge("cpu_softirq", "s", "the same, in soft interrupts", func(r *engine.Reading) *float64 { return &r.CPUSoftIRQ }),
		gauge("cpu_steal", "s", "the same, taken by the hypervisor", func(r *engine.Reading) *float64 { return &r.CPUSteal }),
		gauge("load1", "", "load average over one minute", func(r *engine.Reading) *float64 { return &r.Load1 }),
		gauge("mem_percent", "%", "memory that is not available to new programs", func(r *engine.Reading) *float64 { return &r.MemPercent }),
		gauge("disk_percent", "%", "used share of the file system at /", func(r *engine.Reading) *float64 { return &r.DiskPercent }),
		counter("mem_total", "B", "memory", func(r *engine.Reading) *int64 { return &r.MemTotal }),
		counter("mem_available", "B", "memory available to new programs", func(r *engine.Reading) *int64 { return &r.MemAvailable }),
		counter("swap_used", "B", "swap in use", func(r *engine.Reading) *int64 { return &r.SwapUsed }),
		counter("disk_read", "B", "read from whole disks, counted since boot", func(r *engine.Reading) *int64 { return &r.DiskReadBytes }),
		counter("disk_written", "B", "written to whole disks, counted since boot", func(r *engine.Reading) *int64 { return &r.DiskWrittenBytes }),
		counter("net_lo_sent", "B", "sent on loopback, counted since boot", func(r *engine.Reading) *int64 { return &r.NetLoSentBytes }),
		counter("net_lo_received", "B", "received on loopback, counted since boot", func(r *engine.Reading) *int64 { return &r.NetLoReceivedBytes }),
		counter("net_ext_sent", "B", "sent on the other interfaces that count, counted since boot", func(r *engine.Reading) *int64 { return &r.NetExtSentBytes }),
		counter("net_ext_received", "B", "received on the other interfaces that count, counted since boot", func(r *engine.Reading) *int64 { return &r.NetExtReceivedBytes }),
	}
}

func gauge(name, unit, description string, of func(*engine.Reading) *float64) ReadingColumn {
	return ReadingColumn{Column: readingColumn(name, Float, unit, description), Float: of}
}

func counter(name, unit, description string, of func(*engine.Reading) *int64) ReadingColumn {
	return ReadingColumn{Column: readingColumn(name, Int, unit, description), Int: of}
}

func readingColumn(name string, t Type, unit, description string) Column {
	return Column{Name: name, Type: t, Role: Outcome, Unit: unit, Description: description, Distinct: true}
}
