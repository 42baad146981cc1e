package usage

import "time"

// The six I/O counters of a sample.
const (
	diskRead = iota
	diskWritten
	loSent
	extSent
	loReceived
	extReceived

	counterCount
)

// A Sample is the span between two readings. NaN was not to be had.
type Sample struct {
	Start, End    float64               // seconds since the baseline, monotonic
	Wall          time.Time             // of the end
	CPUs          int                   // 0 is not known
	Avg, Min, Max float64               // percent, over the CPUs
	Mem, Disk     float64               // percent, at the end
	Moved         [counterCount]float64 // MiB since the baseline, at the end
}

// Weight returns the length of the sample in seconds.
func (s Sample) Weight() float64 { return s.End - s.Start }
