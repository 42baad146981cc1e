package engine

import "time"

// A Reading is one look at a host's counters. Counters count from the host's
// start; a negative one, like a NaN, was not to be had.
type Reading struct {
	Wall time.Time     // the host's clock
	Mono time.Duration // the host's monotonic clock
	Took time.Duration // for this reading

	CPUs                                 int     // online
	CPUMean, CPUMin, CPUMax              float64 // percent busy per CPU since the reading before; NaN in the first
	CPUUser, CPUNice                     float64 // seconds, all CPUs together
	CPUSystem, CPUIdle                   float64
	CPUIOWait, CPUIRQ                    float64
	CPUSoftIRQ, CPUSteal                 float64
	Load1                                float64
	MemTotal, MemAvailable               int64 // bytes
	MemPercent                           float64
	SwapUsed                             int64   // bytes
	DiskPercent                          float64 // of the file system at /
	DiskReadBytes, DiskWrittenBytes      int64
	NetLoSentBytes, NetLoReceivedBytes   int64
	NetExtSentBytes, NetExtReceivedBytes int64

	Extra map[string]float64 // optional readings: mounts, disks, processes, GPUs, pressure
}
