package agent

import (
	"bytes"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"mpf/remote/wire"
)

// facts answers with what is known of the host. What is not to be had is
// missing.
func (s *server) facts(id uint32, tools []string) {
	f := facts{}
	f.system()
	f.processors()
	f.frequency()
	f.memory()
	f.network()
	f.timeSource()
	f.load()
	f.virtualisation()
	f.heavy()
	s.tools(f, tools)
	s.reply(id, wire.Response{Facts: f}, nil)
}

// facts are values by name.
type facts map[string]any

// text adds a file's content, if there is one.
func (f facts) text(name, path string) {
	if text := fileText(path); text != "" {
		f[name] = text
	}
}

func fileText(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}

func (f facts) system() {
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		f["hostname"] = unix.ByteSliceToString(u.Nodename[:])
		f["kernel"] = unix.ByteSliceToString(u.Release[:])
		f["kernel_version"] = unix.ByteSliceToString(u.Version[:])
		f["machine"] = unix.ByteSliceToString(u.Machine[:])
	}
	for line := range strings.Lines(fileText("/etc/os-release")) {
		if name, ok := strings.CutPrefix(line, "PRETTY_NAME="); ok {
			f["distribution"] = strings.Trim(strings.TrimSpace(name), `"`)
		}
	}
	f["boot_id"] = bootID()
	f.text("kernel_arguments", "/proc/cmdline")
	f["user"] = strconv.Itoa(os.Getuid())
	f["agent_go"] = runtime.Version()
	if seconds, _, ok := strings.Cut(fileText("/proc/uptime"), " "); ok {
		if up, err := strconv.ParseFloat(seconds, 64); err == nil {
			f["uptime_seconds"] = up
		}
	}
}

const cpuFolder = "/sys/devices/system/cpu/"

// processors counts cores by their package and number.
func (f facts) processors() {
	threads, sockets, cores := 0, map[string]bool{}, map[string]bool{}
	socket, core := "", ""
	for line := range strings.Lines(fileText("/proc/cpuinfo")) {
		name, value, _ := strings.Cut(line, ":")
		name, value = strings.TrimSpace(name), strings.TrimSpace(value)
		switch name {
		case "processor":
			threads++
		case "model name", "Hardware", "CPU part":
			if _, known := f["cpu_model"]; !known || name == "Hardware" {
				f["cpu_model"] = value
			}
		case "physical id":
			socket = value
		case "core id":
			core = value
		case "":
			sockets[socket], cores[socket+"/"+core] = true, true
		case "microcode":
			f["cpu_microcode"] = value
		}
	}
	if socket != "" || core != "" {
		sockets[socket], cores[socket+"/"+core] = true, true
		f["cpu_sockets"], f["cpu_cores"] = len(sockets), len(cores)
	}
	f["cpu_threads"] = threads
	f.text("cpu_online", cpuFolder+"online")
	f.text("cpu_isolated", cpuFolder+"isolated")
	f.text("smt", cpuFolder+"smt/control")
	nodes, _ := filepath.Glob("/sys/devices/system/node/node[0-9]*") // the pattern is right
	f["numa_nodes"] = max(1, len(nodes))
	f["mitigations"] = mitigations()
}

// mitigations are the processor's weaknesses that the kernel does something
// about, and what.
func mitigations() []string {
	list := []string{}
	paths, _ := filepath.Glob(cpuFolder + "vulnerabilities/*") // the pattern is right
	for _, path := range paths {
		if text := fileText(path); text != "" && text != "Not affected" {
			list = append(list, filepath.Base(path)+": "+text)
		}
	}
	return list
}

func (f facts) frequency() {
	const policy = cpuFolder + "cpu0/cpufreq/"
	f.text("governor", policy+"scaling_governor")
	f.text("frequency_driver", policy+"scaling_driver")
	f.number("frequency_min_khz", policy+"scaling_min_freq")
	f.number("frequency_max_khz", policy+"scaling_max_freq")
	switch {
	case fileText(cpuFolder+"intel_pstate/no_turbo") != "":
		f["turbo"] = fileText(cpuFolder+"intel_pstate/no_turbo") == "0"
	case fileText(cpuFolder+"cpufreq/boost") != "":
		f["turbo"] = fileText(cpuFolder+"cpufreq/boost") == "1"
	}
	f.text("huge_pages", "/sys/kernel/mm/transparent_hugepage/enabled")
	f.text("aslr", "/proc/sys/kernel/randomize_va_space")
}

func (f facts) number(name, path string) {
	if n, err := strconv.ParseInt(fileText(path), 10, 64); err == nil {
		f[name] = n
	}
}

func (f facts) memory() {
	for line := range strings.Lines(fileText("/proc/meminfo")) {
		words := strings.Fields(line)
		if len(words) < 2 {
			continue
		}
		kib, err := strconv.ParseInt(words[1], 10, 64)
		switch {
		case err != nil:
		case words[0] == "MemTotal:":
			f["memory_bytes"] = kib << 10
		case words[0] == "SwapTotal:":
			f["swap_bytes"] = kib << 10
		}
	}
	var stat syscall.Statfs_t
	if syscall.Statfs(os.TempDir(), &stat) == nil {
		f["temporary_free_bytes"] = int64(stat.Bavail) * stat.Bsize
	}
}

// network lists the interfaces but loopback, each with its driver, speed and
// MTU.
func (f facts) network() {
	entries, err := os.ReadDir("/sys/class/net")
	if err != nil {
		return
	}
	nics := []string{}
	for _, entry := range entries {
		if entry.Name() == "lo" {
			continue
		}
		folder := "/sys/class/net/" + entry.Name() + "/"
		words := []string{entry.Name()}
		if driver, err := os.Readlink(folder + "device/driver"); err == nil {
			words = append(words, "driver="+filepath.Base(driver))
		}
		if speed := fileText(folder + "speed"); speed != "" && speed != "-1" {
			words = append(words, "mbit="+speed)
		}
		words = append(words, "mtu="+fileText(folder+"mtu"), "state="+fileText(folder+"operstate"))
		nics = append(nics, strings.Join(words, " "))
	}
	f["nics"] = nics
	f.text("tcp_congestion_control", "/proc/sys/net/ipv4/tcp_congestion_control")
}

func (f facts) timeSource() {
	f.text("clock_source", "/sys/devices/system/clocksource/clocksource0/current_clocksource")
	var t unix.Timex
	state, err := unix.Adjtimex(&t)
	if err != nil {
		return
	}
	// The kernel says 5 where nobody keeps its clock right.
	f["clock_synchronised"] = state != 5
	f["clock_error_seconds"] = float64(t.Maxerror) / 1e6
}

// load is what else goes on: a noise report compares two looks at it.
func (f facts) load() {
	words := strings.Fields(fileText("/proc/loadavg"))
	if len(words) >= 3 {
		for i, name := range []string{"load_1", "load_5", "load_15"} {
			if value, err := strconv.ParseFloat(words[i], 64); err == nil {
				f[name] = value
			}
		}
	}
	first, _, _ := strings.Cut(fileText("/proc/stat"), "\n")
	if words := strings.Fields(first); len(words) > 8 {
		if ticks, err := strconv.ParseFloat(words[8], 64); err == nil {
			f["steal_seconds"] = ticks / 100
		}
	}
	for line := range strings.Lines(fileText("/proc/vmstat")) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), " ")
		if n, err := strconv.ParseInt(value, 10, 64); err == nil && (name == "pswpin" || name == "pswpout") {
			f["swap_"+strings.TrimPrefix(name, "pswp")+"_pages"] = n
		}
	}
	f.thermal()
}

// thermal adds the hottest zone and how often processors were throttled.
func (f facts) thermal() {
	zones, _ := filepath.Glob("/sys/class/thermal/thermal_zone*/temp") // the pattern is right
	for _, zone := range zones {
		if milli, err := strconv.ParseFloat(fileText(zone), 64); err == nil {
			hottest, _ := f["temperature_celsius"].(float64)
			f["temperature_celsius"] = max(hottest, milli/1000)
		}
	}
	counts, _ := filepath.Glob(cpuFolder + "cpu*/thermal_throttle/core_throttle_count") // the pattern is right
	var sum int64
	for _, path := range counts {
		n, _ := strconv.ParseInt(fileText(path), 10, 64) // none counts as none
		sum += n
	}
	if len(counts) > 0 {
		f["throttled"] = sum
	}
}

// virtualisation says whether the host is a guest or a container.
func (f facts) virtualisation() {
	kind := "none"
	if bytes.Contains(readAll("/proc/cpuinfo"), []byte(" hypervisor")) {
		kind = "guest"
	}
	for _, path := range []string{"/sys/class/dmi/id/product_name", "/sys/hypervisor/type"} {
		if name := fileText(path); name != "" && kind == "guest" {
			kind = name
			break
		}
	}
	f["virtualisation"] = kind
	_, dockerErr := os.Stat("/.dockerenv")
	_, podmanErr := os.Stat("/run/.containerenv")
	f["container"] = dockerErr == nil || podmanErr == nil || os.Getenv("container") != ""
}

func readAll(path string) []byte {
	content, err := os.ReadFile(path)
	if err != nil {
		return nil
	}
	return content
}

// heavy lists processes of others that have used a twentieth of a CPU or more
// since they started, or hold a twentieth of the memory: an experiment shares
// the host with them.
func (f facts) heavy() {
	const share, ticksPerSecond = 0.05, 100
	up, _ := f["uptime_seconds"].(float64)
	total, _ := f["memory_bytes"].(int64)
	table := readProcTable()
	mine := table.ancestry(os.Getpid())
	list := []string{}
	for pid, p := range table {
		age := up - float64(p.start)/ticksPerSecond
		cpu := float64(p.userTicks+p.systemTicks) / ticksPerSecond
		large := total > 0 && float64(p.rssPages)*float64(os.Getpagesize()) > share*float64(total)
		if !mine[pid] && (large || age > 1 && cpu/age > share) {
			list = append(list, p.name)
		}
	}
	slices.Sort(list)
	f["heavy_processes"] = slices.Compact(list)
}

// tools asks programs for their versions, all at once.
func (s *server) tools(f facts, names []string) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, name := range names {
		all.Go(func() {
			version := s.versionOf(name)
			mu.Lock()
			defer mu.Unlock()
			f["tool_"+name] = version
		})
	}
	all.Wait()
}

// versionOf is the first line of what a program says of its version; empty
// where there is no such program.
func (s *server) versionOf(name string) string {
	if _, err := lookPath(name, s.environ, "/"); err != nil {
		return ""
	}
	for _, flag := range []string{"--version", "-V", "-version", "version"} {
		out, err := s.helper(name, flag)
		if line, _, _ := strings.Cut(strings.TrimSpace(out), "\n"); err == nil && line != "" {
			return line
		}
	}
	return "unknown"
}
