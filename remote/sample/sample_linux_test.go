package sample

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v3/cpu"
	"github.com/shirou/gopsutil/v3/disk"
	"github.com/shirou/gopsutil/v3/mem"
	"github.com/shirou/gopsutil/v3/net"

	"mpf/remote/wire"
)

// The ticks of two CPUs at two moments, and how busy they were in between.
func TestBusyPercent(t *testing.T) {
	const first = "cpu  3000 10 1200 14000 150 5 20 8 50 0\n" +
		"cpu0 1000 0 500 8000 100 0 0 0 50 0\ncpu1 2000 10 700 6000 50 5 20 8 0 0\nintr 5 0 5\n"
	const second = "cpu  3090 15 1230 14060 160 6 22 10 55 0\n" +
		"cpu0 1030 0 510 8050 110 0 0 0 55 0\ncpu1 2060 15 720 6010 50 6 22 10 0 0\nintr 7 0 7\n"
	before, after := cpusOf(t, first), cpusOf(t, second)
	busy := busyPercents(nil, before, after)
	if !slices.Equal(busy, []float64{40, 90}) {
		t.Errorf("got %v", busy)
	}
	var v wire.HostReading
	spread(&v, busy)
	if v.CPUMean != 65 || v.CPUMin != 40 || v.CPUMax != 90 {
		t.Errorf("got %v, %v, %v", v.CPUMean, v.CPUMin, v.CPUMax)
	}
	sum(&v, after)
	if v.User != 30.9 || v.Idle != 140.6 || v.Steal != 0.1 {
		t.Errorf("got %+v", v)
	}
	if got, ok := busyPercent(ticks{500, 0, 0, 500}, ticks{400, 0, 0, 600}); !ok || got != 0 {
		t.Errorf("a counter that went back gave %v, %v", got, ok)
	}
	if _, ok := busyPercent(ticks{1}, ticks{1}); ok {
		t.Error("no ticks gave a value")
	}
}

func cpusOf(t *testing.T, stat string) []cpuLine {
	t.Helper()
	lines, err := parseCPUs([]byte(stat), nil)
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

// A CPU that went or came has no value, and does not shift those of others.
func TestCPUsThatComeAndGo(t *testing.T) {
	before := cpusOf(t, "cpu0 0 0 0 100\ncpu1 0 0 0 100\ncpu3 0 0 0 100\n")
	after := cpusOf(t, "cpu0 50 0 0 150\ncpu2 7 0 0 100\ncpu3 100 0 0 100\n")
	if got := busyPercents(nil, before, after); !slices.Equal(got, []float64{50, 100}) {
		t.Errorf("got %v", got)
	}
	for _, text := range []string{"", "intr 1", "cpu 1 2 3 4\nintr 1"} {
		if lines, err := parseCPUs([]byte(text), nil); err == nil {
			t.Errorf("%q gave %v", text, lines)
		}
	}
}

// What gopsutil says before and after a reading bounds the reading.
func TestReadingsAgreeWithGopsutil(t *testing.T) {
	r := NewReader(wire.Sampling{Period: time.Second}, Host{})
	defer r.Close()
	before := lookWithGopsutil(t)
	v := r.Read()
	after := lookWithGopsutil(t)
	const rounding = 1e-6 // of sums of seconds
	got := totals{v.CPUs, v.User + v.System, v.Idle, v.DiskRead, v.DiskWrite, v.LoSent, v.LoRecv, v.MemTotal}
	for i, field := range reflect.VisibleFields(reflect.TypeFor[totals]()) {
		low, middle, high := number64(before, i), number64(got, i), number64(after, i)
		if middle < low-rounding || middle > high+rounding {
			t.Errorf("%s: %v, which is not between %v and %v", field.Name, middle, low, high)
		}
	}
}

// totals are counters that only rise.
type totals struct {
	CPUs                int64
	Busy, Idle          float64
	DiskRead, DiskWrite int64
	LoSent, LoRecv      int64
	Memory              int64
}

func number64(t totals, field int) float64 {
	v := reflect.ValueOf(t).Field(field)
	if v.CanInt() {
		return float64(v.Int())
	}
	return v.Float()
}

func lookWithGopsutil(t *testing.T) totals {
	t.Helper()
	var all totals
	times, err := cpu.Times(true)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range times {
		all.CPUs++
		all.Busy += c.User + c.System
		all.Idle += c.Idle
	}
	disks, err := disk.IOCounters()
	if err != nil {
		t.Fatal(err)
	}
	whole := diskSet{}
	whole.refresh()
	for _, name := range whole.listed {
		all.DiskRead += int64(disks[name].ReadBytes)
		all.DiskWrite += int64(disks[name].WriteBytes)
	}
	nics, err := net.IOCounters(true)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range nics {
		if n.Name == "lo" {
			all.LoSent, all.LoRecv = int64(n.BytesSent), int64(n.BytesRecv)
		}
	}
	memory, err := mem.VirtualMemory()
	if err != nil {
		t.Fatal(err)
	}
	all.Memory = int64(memory.Total)
	return all
}

func TestDiskAndNICLines(t *testing.T) {
	got := appendDisk(nil, "sda", []byte("  10   1 200   5  20   2  400   9   0   14   14   0   0\n"))
	got = appendDisk(got, "loop0", []byte("torn\n"))
	if !slices.Equal(got, []diskLine{{"sda", traffic{200 * 512, 400 * 512}}}) {
		t.Errorf("got %v", got)
	}
	const nics = "Inter-|   Receive   |  Transmit\n face |bytes    packets\n" +
		"    lo: 1000 10 0 0 0 0 0 0 2000 20 0 0 0 0 0 0\neth0:1:3000 1 0 0 0 0 0 0 4000 2 0 0 0 0 0 0\n bad0: 12\n"
	want := []nicLine{{"lo", traffic{2000, 1000}}, {"eth0:1", traffic{4000, 3000}}}
	for _, before := range [][]nicLine{nil, {{name: "lo"}, {name: "gone"}, {name: "bad0"}}} {
		if got := parseNICs([]byte(nics), before); !slices.Equal(got, want) {
			t.Errorf("got %v", got)
		}
	}
}

func TestMemoryLines(t *testing.T) {
	const text = "MemTotal:       1000 kB\nMemFree:         100 kB\nMemAvailable:    750 kB\n" +
		"SwapTotal:        50 kB\nSwapFree:         20 kB\nHugePages_Total:       0\n"
	var v wire.HostReading
	if err := parseMemory([]byte(text), &v); err != nil {
		t.Fatal(err)
	}
	if v.MemTotal != 1000<<10 || v.MemAvail != 750<<10 || v.MemPercent != 25 || v.SwapUsed != 30<<10 {
		t.Errorf("got %+v", v)
	}
	if err := parseMemory([]byte("MemTotal: 1000 kB\n"), &v); err == nil {
		t.Error("a kernel that tells too little was believed")
	}
}

// A file that outgrows what was set aside for it is read whole.
func TestCounterFilesAreReadWhole(t *testing.T) {
	path := filepath.Join(t.TempDir(), "file")
	c := counterFile{path: path}
	if _, err := c.read(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a file that is missing gave %v", err)
	}
	for _, size := range []int{10, firstText, 5*firstText + 1, 3} {
		want := bytes.Repeat([]byte{'x'}, size)
		if err := os.WriteFile(path, want, 0o600); err != nil {
			t.Fatal(err)
		}
		if got, err := c.read(); err != nil || !bytes.Equal(got, want) {
			t.Errorf("got %d bytes of %d, %v", len(got), size, err)
		}
	}
	if err := c.close(); err != nil {
		t.Error(err)
	}
}

func TestGPULines(t *testing.T) {
	got, ok := parseGPU("1, 100, 3000, 4000")
	if !ok || got["gpu.1.utilization_percent"] != 100 || got["gpu.1.memory_used_mib"] != 3000 || got["gpu.1.memory_total_mib"] != 4000 {
		t.Errorf("got %v, %v", got, ok)
	}
	got, ok = parseGPU("0, [N/A], 10, 100")
	if !ok || !math.IsNaN(got["gpu.0.utilization_percent"]) || got["gpu.0.memory_used_mib"] != 10 {
		t.Errorf("got %v, %v", got, ok)
	}
	got, ok = parseGPU("2, 7, 10, 100, 52.31")
	if !ok || got["gpu.2.power_watts"] != 52.31 {
		t.Errorf("got %v, %v", got, ok)
	}
	for _, line := range []string{"", "1, 2", "1, 2, 3, 4, 5, 6", "No devices were found", "x, 1, 2, 3"} {
		if got, ok := parseGPU(line); ok {
			t.Errorf("%q gave %v", line, got)
		}
	}
}

func TestPerfLines(t *testing.T) {
	event, count, ok := parsePerf("     1.000812345,123456,,cycles,1000,100.00,,")
	if !ok || event != "cycles" || count != 123456 {
		t.Errorf("got %q, %v, %v", event, count, ok)
	}
	if event, count, ok := parsePerf("1.0,<not supported>,,cycles,0,100.00,,"); !ok || event != "cycles" || !math.IsNaN(count) {
		t.Errorf("got %q, %v, %v", event, count, ok)
	}
	for _, line := range []string{"", "# started on", "Error:,1,2,3"} {
		if _, _, ok := parsePerf(line); ok {
			t.Errorf("%q was taken", line)
		}
	}
}

func TestNamesOfDevices(t *testing.T) {
	for name, want := range map[string]bool{"sda": false, "nvme0n1": false, "dm-0": true, "md127": true, "loop3": true, "zram0": true} {
		if isVirtual(name) != want {
			t.Errorf("disk %q", name)
		}
	}
	for name, want := range map[string]bool{"lo": true, "LO": true, "Loopback Pseudo-Interface 1": true, "eth0": false, "long0": false} {
		if isLoopback(name) != want {
			t.Errorf("interface %q", name)
		}
	}
}

// What is named but not there is one warning, and no reading fails.
func TestMissingDevicesAreWarnings(t *testing.T) {
	r := NewReader(wire.Sampling{
		Period: time.Second, Mounts: []string{"/no/such/mount"}, Disks: []string{"nodisk"}, NICs: []string{"nonic0"},
	}, Host{})
	var v wire.HostReading
	for range 2 {
		v = r.Read()
	}
	if v.DiskRead != -1 || v.MemTotal <= 0 || v.LoSent < 0 {
		t.Errorf("got %+v", v)
	}
	if warnings := r.Close(); len(warnings) != 3 {
		t.Errorf("got %q", warnings)
	}
}

// Which interfaces are physical is asked again when others are there.
func TestNICsThatComeAndGo(t *testing.T) {
	n := nicSet{last: []nicLine{{name: "lo"}}}
	n.refresh()
	n.physical = []string{"remembered"}
	n.refresh()
	if !slices.Equal(n.physical, []string{"remembered"}) {
		t.Error("asked again though nothing had changed")
	}
	n.last = append(n.last, nicLine{name: "nonic0"})
	if n.refresh(); n.physical != nil {
		t.Errorf("got %q", n.physical)
	}
}
