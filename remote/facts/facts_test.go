package facts

import (
	"maps"
	"path"
	"reflect"
	"slices"
	"testing"

	"mpf/engine"
	"mpf/remote/wire"
)

// server is what a machine with two sockets, hyperthreads and a NIC shows.
func server() []wire.File {
	files := map[string]string{
		"/proc/cpuinfo":                          "processor\t: 0\nmodel name\t: A CPU\nmicrocode\t: 0x5\nflags\t: fpu vme\n\nprocessor\t: 1\nmodel name\t: Another",
		"/proc/meminfo":                          "MemTotal:       1024 kB\nMemFree: 1 kB\nSwapTotal:      0 kB",
		"/proc/loadavg":                          "0.50 2.00 1.25 1/100 4242",
		"/proc/uptime":                           "100.25 300.00",
		"/proc/stat":                             "cpu  1000 0 500 8000 100 0 50 350 20 0\ncpu0 1 2 3",
		"/proc/vmstat":                           "nr_free_pages 5\npswpin 7\npswpout 9",
		"/etc/os-release":                        "NAME=x\nPRETTY_NAME=\"An OS 12\"\n",
		"/sys/devices/system/node/node0/cpulist": "0-1",
		"/sys/devices/system/node/node1/cpulist": "2-3",
		"/sys/class/thermal/thermal_zone0/temp":  "41000",
		"/sys/class/thermal/thermal_zone1/temp":  "56500",
		"/sys/class/net/lo/mtu":                  "65536",
		"/sys/class/net/eth0/mtu":                "9000",
		"/sys/class/net/eth0/speed":              "100000",
		"/sys/class/net/eth0/operstate":          "up",
		"/sys/class/net/eth0/device/uevent":      "PCI_CLASS=20000\nDRIVER=mlx5_core\n",
		cpus + "smt/control":                     "on",
		cpus + "intel_pstate/no_turbo":           "1",
		cpus + "vulnerabilities/meltdown":        "Not affected",
		cpus + "vulnerabilities/retbleed":        "Mitigation: IBRS",
		cpus + "cpu0/cpufreq/scaling_governor":   "powersave",
		cpus + "cpu1/cpufreq/scaling_governor":   "performance",
		cpus + "cpu2/cpufreq/scaling_governor":   "performance",
		cpus + "cpu0/cpufreq/scaling_max_freq":   "3000000",
	}
	for cpu, frequency := range map[string]string{"cpu0": "1000000", "cpu1": "2000000", "cpu2": "3000000", "cpu3": "2000000"} {
		files[cpus+cpu+"/cpufreq/scaling_cur_freq"] = frequency
		files[cpus+cpu+"/thermal_throttle/core_throttle_count"] = "3"
		files[cpus+cpu+"/topology/physical_package_id"] = map[string]string{"cpu0": "0", "cpu1": "0", "cpu2": "1", "cpu3": "1"}[cpu]
		files[cpus+cpu+"/topology/core_id"] = "0"
	}
	var list []wire.File
	for _, name := range slices.Sorted(maps.Keys(files)) {
		list = append(list, wire.File{Path: name, Text: files[name]})
	}
	return list
}

func TestFactsOfAServer(t *testing.T) {
	got := From(server())
	for name, want := range map[string]engine.Value{
		"cpu_model": "A CPU", "cpu_microcode": "0x5", "cpu_sockets": int64(2), "cpu_cores": int64(2), "cpu_threads": int64(4),
		"numa_nodes": int64(2), "smt": "on", "turbo": false, "governor": "performance, powersave", "frequency_max_khz": int64(3000000),
		"mitigations": []engine.Value{"retbleed: Mitigation: IBRS"}, "nics": []engine.Value{"eth0 driver=mlx5_core mbit=100000 mtu=9000 state=up"},
		"distribution": "An OS 12", "memory_bytes": int64(1 << 20), "swap_bytes": int64(0), "virtualisation": "none", "container": false,
		"load_1": 0.5, "load_5": int64(2), "uptime_seconds": 100.25, "cpu_seconds": int64(100), "busy_seconds": int64(19), "steal_seconds": 3.5,
		"swap_in_pages": int64(7), "swap_out_pages": int64(9), "temperature_celsius": 56.5, "throttled": int64(12),
		"frequency_now_min_khz": int64(1000000), "frequency_now_mean_khz": int64(2000000), "frequency_now_max_khz": int64(3000000),
	} {
		if !reflect.DeepEqual(got[name], want) {
			t.Errorf("%s is %#v, want %#v", name, got[name], want)
		}
	}
}

// A virtual machine without cpufreq, thermal zones or anything else.
func TestWhatIsNotThereIsMissing(t *testing.T) {
	got := From([]wire.File{{Path: "/proc/stat", Text: "cpu  1 2"}, {Path: "/proc/loadavg", Text: "x y z"}, {Path: "/proc/meminfo", Text: "MemTotal:"}})
	want := map[string]engine.Value{
		"container": false, "virtualisation": "none", "numa_nodes": int64(1), "mitigations": []engine.Value{}, "nics": []engine.Value{},
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v", got)
	}
}

func TestPatternsFindWhatIsRead(t *testing.T) {
	for _, file := range server() {
		found := slices.ContainsFunc(Patterns(), func(pattern string) bool {
			ok, err := path.Match(pattern, file.Path)
			return ok && err == nil
		})
		if !found {
			t.Errorf("no pattern finds %s", file.Path)
		}
	}
}
