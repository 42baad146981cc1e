package sample

import (
	"fmt"
	"math"
	"sort"
	"time"

	"github.com/shirou/gopsutil/v3/disk"
	"golang.org/x/sys/unix"

	"mpf/remote/wire"
)

// Prefixes of the names of extra values.
const (
	MountPrefix    = "mount."    // mount./data.percent
	DiskPrefix     = "disk."     // disk.sda.read_bytes, .written_bytes
	ProcessPrefix  = "process."  // process.count, .cpu_seconds, .resident_bytes
	GPUPrefix      = "gpu."      // gpu.0.utilization_percent, .memory_used_mib, .memory_total_mib, .power_watts
	PressurePrefix = "pressure." // pressure.cpu.some_seconds, .full_seconds
	PerfPrefix     = "perf."     // perf.cycles, counted since the first reading
	PerfTold       = "perf_mono" // the monotonic clock, in seconds, when perf counted that
)

// A Reader reads what it was asked for. It is not safe for several goroutines at
// once.
type Reader struct {
	options  wire.Sampling
	host     Host
	made     time.Time
	mono     time.Duration // the monotonic clock then
	cpus     cpuTimes
	memory   counterFile
	load     counterFile
	disks    diskSet
	nics     nicSet
	gpus     *gpuWatch  // or nil
	perf     *perfWatch // or nil
	warnings warnings
}

// NewReader prepares a reader; what is missing on the host becomes a warning.
func NewReader(o wire.Sampling, h Host) *Reader {
	r := &Reader{
		options: o, host: h, warnings: warnings{}, made: time.Now(), mono: monotonic(),
		cpus:   cpuTimes{stat: counterFile{path: "/proc/stat"}},
		memory: counterFile{path: "/proc/meminfo"},
		load:   counterFile{path: "/proc/loadavg"},
		disks:  diskSet{names: o.Disks, tally: tally{}},
		nics:   nicSet{asked: o.NICs, dev: counterFile{path: "/proc/net/dev"}, tally: tally{}},
	}
	if o.GPU {
		r.gpus = watchGPUs(h.Programs, o.Period, r.warnings)
	}
	if len(o.Perf) > 0 {
		r.perf = watchPerf(h.Programs, o.Period, o.Perf, r.warnings)
	}
	return r
}

// Read looks at the host.
func (r *Reader) Read() wire.HostReading {
	begun := time.Now()
	v := wire.HostReading{Wall: begun.UnixNano(), Mono: r.mono + begun.Sub(r.made)}
	r.cpus.read(&v, r.warnings)
	readMemory(&r.memory, &v, r.warnings)
	readLoad(&r.load, &v, r.warnings)
	v.DiskPercent = r.usedPercent("/")
	r.disks.read(&v, r.warnings)
	r.nics.read(&v, r.warnings)
	r.readExtra(&v)
	v.Took = time.Since(begun)
	return v
}

// ReadLast looks at the host a last time, and waits for what perf counted until
// then.
func (r *Reader) ReadLast() wire.HostReading {
	v := r.Read()
	if r.perf == nil {
		return v
	}
	r.perf.watcher.Finish(lastWord)
	if v.Extra == nil {
		v.Extra = map[string]float64{}
	}
	r.perf.read(v.Extra)
	return v
}

// usedPercent is how full the file system at a path is for its users.
func (r *Reader) usedPercent(path string) float64 {
	u, err := disk.Usage(path)
	if err != nil {
		r.warnings.add("mount "+path, "the file system at %q could not be read: %v", path, err)
		return math.NaN()
	}
	return tenth(u.UsedPercent)
}

func (r *Reader) readExtra(v *wire.HostReading) {
	extra := map[string]float64{}
	for _, mount := range r.options.Mounts {
		extra[MountPrefix+mount+".percent"] = r.usedPercent(mount)
	}
	r.disks.extra(extra)
	r.nics.extra(extra)
	if r.options.Processes {
		p := r.host.Tree()
		extra[ProcessPrefix+"count"] = float64(p.Count)
		extra[ProcessPrefix+"cpu_seconds"] = p.CPUSeconds
		extra[ProcessPrefix+"resident_bytes"] = float64(p.ResidentBytes)
	}
	if r.options.Pressure {
		readPressure(extra, r.warnings)
	}
	if r.gpus != nil {
		r.gpus.read(extra)
	}
	if r.perf != nil {
		r.perf.read(extra)
	}
	if len(extra) > 0 {
		v.Extra = extra
	}
}

// HelperCPU is what programs that watch for the reader have used.
func (r *Reader) HelperCPU() time.Duration {
	var sum float64
	if r.gpus != nil {
		sum += r.gpus.watcher.CPUSeconds()
	}
	if r.perf != nil {
		sum += r.perf.watcher.CPUSeconds()
	}
	return time.Duration(sum * float64(time.Second))
}

// Close ends what watches for the reader and returns all warnings.
func (r *Reader) Close() []string {
	for _, f := range []*counterFile{&r.cpus.stat, &r.memory, &r.load, &r.nics.dev} {
		r.warnings.note(f.path, f.close())
	}
	r.warnings.note("disks", r.disks.close())
	if r.gpus != nil {
		err := r.gpus.watcher.Close()
		r.gpus.warn(r.warnings)
		r.warnings.note("nvidia-smi", err)
	}
	if r.perf != nil {
		err := r.perf.watcher.Close()
		r.perf.warn(r.warnings)
		r.warnings.note("perf", err)
	}
	return r.warnings.list()
}

func tenth(percent float64) float64 { return math.Round(percent*10) / 10 }

func monotonic() time.Duration {
	var t unix.Timespec
	if err := unix.ClockGettime(unix.CLOCK_MONOTONIC, &t); err != nil {
		return 0
	}
	return time.Duration(t.Nano())
}

// warnings holds one text per subject.
type warnings map[string]string

func (w warnings) add(subject, format string, args ...any) {
	if _, said := w[subject]; !said {
		w[subject] = fmt.Sprintf(format, args...)
	}
}

func (w warnings) note(subject string, err error) {
	if err != nil {
		w.add(subject, "%s: %v", subject, err)
	}
}

func (w warnings) list() []string {
	var texts []string
	for _, text := range w {
		texts = append(texts, text)
	}
	sort.Strings(texts)
	return texts
}
