package sample

import (
	"bytes"
	"errors"
	"math"

	"mpf/remote/wire"
)

// ticksPerSecond is the unit of the kernel's CPU times on every Linux that Go
// runs on.
const ticksPerSecond = 100

// ticks are a CPU's times since boot, in the order of /proc/stat. Guests are
// within user time already.
type ticks [8]uint64

// idle and ioWait are where those times stand; all others are busy ones.
const (
	idle   = 3
	ioWait = 4
)

// cpuLine is what /proc/stat says of a CPU.
type cpuLine struct {
	cpu uint64
	ticks
}

// cpuTimes remembers the reading before: how busy a CPU was needs two.
type cpuTimes struct {
	stat        counterFile
	before, now []cpuLine // by ascending number
	busy        []float64
}

func (c *cpuTimes) read(v *wire.HostReading, w warnings) {
	v.CPUMean, v.CPUMin, v.CPUMax = math.NaN(), math.NaN(), math.NaN()
	text, err := c.stat.read()
	if err == nil {
		c.now, err = parseCPUs(text, c.now[:0])
	}
	if err != nil {
		v.CPUs = -1
		for _, f := range times(v) {
			*f = math.NaN()
		}
		w.add("cpu", "CPU times could not be read: %v", err)
		return
	}
	if len(c.before) > 0 && len(c.now) != len(c.before) {
		w.add("cpus", "CPUs came or went: %d, then %d", len(c.before), len(c.now))
	}
	v.CPUs = int64(len(c.now))
	sum(v, c.now)
	c.busy = busyPercents(c.busy[:0], c.before, c.now)
	spread(v, c.busy)
	c.before, c.now = c.now, c.before
}

// times are the fields of a reading in the order of ticks.
func times(v *wire.HostReading) [len(ticks{})]*float64 {
	return [...]*float64{&v.User, &v.Nice, &v.System, &v.Idle, &v.IOWait, &v.IRQ, &v.SoftIRQ, &v.Steal}
}

func sum(v *wire.HostReading, lines []cpuLine) {
	var all ticks
	for _, line := range lines {
		for i, n := range line.ticks {
			all[i] += n
		}
	}
	for i, f := range times(v) {
		*f = float64(all[i]) / ticksPerSecond
	}
}

// busyPercents appends how busy the CPUs were that are in both readings.
func busyPercents(busy []float64, before, now []cpuLine) []float64 {
	for _, line := range now {
		for len(before) > 0 && before[0].cpu < line.cpu {
			before = before[1:]
		}
		if len(before) == 0 || before[0].cpu != line.cpu {
			continue
		}
		if p, ok := busyPercent(before[0].ticks, line.ticks); ok {
			busy = append(busy, p)
		}
	}
	return busy
}

// parseCPUs appends the lines of single CPUs, which come first but for that of
// all.
func parseCPUs(text []byte, lines []cpuLine) ([]cpuLine, error) {
	for len(text) > 0 {
		var line []byte
		line, text = cutLine(text)
		name, rest := cutWord(line)
		number, isCPU := bytes.CutPrefix(name, []byte("cpu"))
		if !isCPU {
			break
		}
		cpu, _, single := cutNumber(number)
		if !single {
			continue
		}
		parsed := cpuLine{cpu: cpu}
		for i := range parsed.ticks {
			parsed.ticks[i], rest, _ = cutNumber(rest) // old kernels have fewer
		}
		lines = append(lines, parsed)
	}
	if len(lines) == 0 {
		return nil, errors.New("/proc/stat names none")
	}
	return lines, nil
}

// busyPercent is the part of the time in between that a CPU was neither idle nor
// waiting for a disk. A counter that went back counts as one that stood still.
func busyPercent(a, b ticks) (float64, bool) {
	var total, rest uint64
	for i := range b {
		if b[i] <= a[i] {
			continue
		}
		total += b[i] - a[i]
		if i == idle || i == ioWait {
			rest += b[i] - a[i]
		}
	}
	if total == 0 {
		return 0, false
	}
	return tenth(100 * float64(total-rest) / float64(total)), true
}

func spread(v *wire.HostReading, busy []float64) {
	if len(busy) == 0 {
		return
	}
	// Tenths add up exactly, so that CPUs which are all at a bound have it as mean.
	tenths := 0.0
	v.CPUMin, v.CPUMax = busy[0], busy[0]
	for _, p := range busy {
		tenths += math.Round(10 * p)
		v.CPUMin, v.CPUMax = min(v.CPUMin, p), max(v.CPUMax, p)
	}
	v.CPUMean = tenths / float64(10*len(busy))
}
