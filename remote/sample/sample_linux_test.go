package sample

import (
	"math"
	"testing"
	"time"

	"github.com/shirou/gopsutil/v3/cpu"

	"mpf/remote/wire"
)

// The ticks of two CPUs at two moments, and how busy they were in between.
func TestBusyPercent(t *testing.T) {
	for _, c := range []struct {
		before, after cpu.TimesStat
		want          float64
	}{
		{
			cpu.TimesStat{User: 10, System: 5, Idle: 80, Iowait: 1, Guest: .5},
			cpu.TimesStat{User: 10.3, System: 5.1, Idle: 80.5, Iowait: 1.1, Guest: .55}, 40,
		},
		{
			cpu.TimesStat{User: 20, Nice: .1, System: 7, Idle: 60, Iowait: .5, Irq: .05, Softirq: .2, Steal: .08},
			cpu.TimesStat{User: 20.6, Nice: .15, System: 7.2, Idle: 60.1, Iowait: .5, Irq: .06, Softirq: .22, Steal: .1}, 90,
		},
		{cpu.TimesStat{User: 5, Idle: 5}, cpu.TimesStat{User: 4, Idle: 6}, 0},
	} {
		if got, ok := busyPercent(c.before, c.after); !ok || got != c.want {
			t.Errorf("got %v, %v, want %v", got, ok, c.want)
		}
	}
	if _, ok := busyPercent(cpu.TimesStat{User: 1}, cpu.TimesStat{User: 1}); ok {
		t.Error("no ticks gave a value")
	}
	var v wire.HostReading
	spread(&v, []float64{40, 90})
	if v.CPUMean != 65 || v.CPUMin != 40 || v.CPUMax != 90 {
		t.Errorf("got %v, %v, %v", v.CPUMean, v.CPUMin, v.CPUMax)
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
	for _, line := range []string{"", "No devices were found", "x, 1, 2, 3"} {
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
	for _, line := range []string{"", "# started on", "1.0,<not counted>,,cycles", "Error:,1,2,3"} {
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

func BenchmarkRead(b *testing.B) {
	r := NewReader(wire.Sampling{Period: time.Second}, Host{})
	for b.Loop() {
		r.Read()
	}
}
