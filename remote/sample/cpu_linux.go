package sample

import (
	"math"

	"github.com/shirou/gopsutil/v3/cpu"

	"mpf/remote/wire"
)

// cpuTimes remembers the reading before, by CPU: how busy a CPU was needs two.
type cpuTimes struct {
	before map[string]cpu.TimesStat
}

func (c *cpuTimes) read(v *wire.HostReading, w warnings) {
	v.CPUMean, v.CPUMin, v.CPUMax = math.NaN(), math.NaN(), math.NaN()
	times, err := cpu.Times(true)
	if err != nil || len(times) == 0 {
		v.CPUs = -1
		for _, f := range []*float64{&v.User, &v.Nice, &v.System, &v.Idle, &v.IOWait, &v.IRQ, &v.SoftIRQ, &v.Steal} {
			*f = math.NaN()
		}
		w.add("cpu", "CPU times could not be read: %v", err)
		return
	}
	if c.before != nil && len(times) != len(c.before) {
		w.add("cpus", "CPUs came or went: %d, then %d", len(c.before), len(times))
	}
	now := make(map[string]cpu.TimesStat, len(times))
	var busy []float64
	for _, t := range times {
		now[t.CPU] = t
		sum(v, t)
		if old, ok := c.before[t.CPU]; ok {
			if p, ok := busyPercent(old, t); ok {
				busy = append(busy, p)
			}
		}
	}
	c.before = now
	v.CPUs = int64(len(times))
	spread(v, busy)
}

func sum(v *wire.HostReading, t cpu.TimesStat) {
	v.User += t.User
	v.Nice += t.Nice
	v.System += t.System
	v.Idle += t.Idle
	v.IOWait += t.Iowait
	v.IRQ += t.Irq
	v.SoftIRQ += t.Softirq
	v.Steal += t.Steal
}

// busyPercent is the part of the time in between that a CPU was neither idle nor
// waiting for a disk. Guests are within user time already. A counter that went
// back counts as one that stood still.
func busyPercent(a, b cpu.TimesStat) (float64, bool) {
	up := func(before, after float64) float64 { return max(0, after-before) }
	rest := up(a.Idle, b.Idle) + up(a.Iowait, b.Iowait)
	total := rest + up(a.User, b.User) + up(a.Nice, b.Nice) + up(a.System, b.System) +
		up(a.Irq, b.Irq) + up(a.Softirq, b.Softirq) + up(a.Steal, b.Steal)
	if total <= 0 {
		return 0, false
	}
	return tenth(min(100, max(0, 100*(total-rest)/total))), true
}

func spread(v *wire.HostReading, busy []float64) {
	if len(busy) == 0 {
		return
	}
	v.CPUMean, v.CPUMin, v.CPUMax = 0, busy[0], busy[0]
	for _, p := range busy {
		v.CPUMean += p / float64(len(busy))
		v.CPUMin, v.CPUMax = min(v.CPUMin, p), max(v.CPUMax, p)
	}
}
