package remote_test

import (
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote"
	"mpf/remote/remotetest"
)

// sampled samples a host until readings hold all that is wanted, and returns the
// last one.
func sampled(t *testing.T, h engine.Host, s engine.Sampling, wanted ...string) (map[string]float64, engine.Closing) {
	t.Helper()
	return sampledAfter(t, h, s, "head -c 1000000 /dev/zero | sha256sum", wanted...)
}

// gone is a script that ends once no process has a line that a pattern matches;
// the pattern is written so that it does not match itself.
func gone(pattern string) string {
	return "while pgrep -f '" + pattern + "' >/dev/null; do sleep 0.02; done"
}

// sampledAfter is sampled, with a script that is executed meanwhile.
func sampledAfter(t *testing.T, h engine.Host, s engine.Sampling, script string, wanted ...string) (map[string]float64, engine.Closing) {
	t.Helper()
	attempt, readings := remotetest.NewAttempt(), &remotetest.Readings{}
	attempt.Readings, attempt.Sampling = readings, s
	w, err := h.Open(t.Context(), attempt)
	if err != nil {
		t.Fatal(err)
	}
	for end := time.Now().Add(20 * time.Second); ; {
		if _, err := w.Run(t.Context(), engine.Command{Argv: []string{"sh", "-c", script}}); err != nil {
			t.Fatal(err)
		}
		all := readings.All()
		if len(all) > 0 && holds(all[len(all)-1].Extra, wanted) {
			break
		}
		if time.Now().After(end) {
			t.Errorf("no reading of %d holds %q: %v", len(all), wanted, all[len(all)-1].Extra)
			break
		}
	}
	closing, err := w.Close(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := readings.All()
	return all[len(all)-1].Extra, closing
}

func holds(extra map[string]float64, wanted []string) bool {
	for _, name := range wanted {
		if _, ok := extra[name]; !ok {
			return false
		}
	}
	return true
}

// What is asked for by name is read by name: mounts, disks, pressure, and the
// processes of the run alone.
func TestMountsDisksPressureAndProcessesAreRead(t *testing.T) {
	disks, err := filepath.Glob("/sys/block/[nsvx]*")
	if err != nil || len(disks) == 0 {
		enginetest.Unmet(t, "this machine shows no disk")
	}
	disk := filepath.Base(disks[0])
	h := connect(t, remote.Local{})
	defer h.Close()
	got, closing := sampled(t, h, engine.Sampling{
		Period: 20 * time.Millisecond, Mounts: []string{"/", "/dev/shm"}, Disks: []string{disk}, Pressure: true, Processes: true,
	}, "mount./.percent", "mount./dev/shm.percent", "disk."+disk+".read_bytes", "disk."+disk+".written_bytes",
		"pressure.cpu.some_seconds", "pressure.memory.full_seconds", "pressure.io.full_seconds", "process.count", "process.cpu_seconds", "process.resident_bytes")
	if got["mount./.percent"] <= 0 || got["disk."+disk+".read_bytes"] <= 0 || got["process.count"] > 10 {
		t.Errorf("read %v", got)
	}
	for _, w := range closing.Warnings {
		if !strings.Contains(w, "network interface") {
			t.Errorf("warning %q", w)
		}
	}
}

// What perf counts by software there is on machines without counters too.
func TestPerfCountersAreRead(t *testing.T) {
	enginetest.NeedRoot(t)
	enginetest.Need(t, "perf", "pgrep")
	h := connect(t, remote.Local{})
	defer h.Close()
	got, closing := sampled(t, h, engine.Sampling{Period: 50 * time.Millisecond, Perf: []string{"task-clock", "context-switches", "page-faults"}},
		"perf.task-clock", "perf.context-switches", "perf.page-faults")
	if got["perf.task-clock"] <= 0 || got["perf.context-switches"] <= 0 || got["perf.page-faults"] <= 0 {
		t.Errorf("perf counted %v", got)
	}
	if len(closing.Warnings) > 0 {
		t.Errorf("warnings %q", closing.Warnings)
	}
	_, closing = sampledAfter(t, h, engine.Sampling{Period: 50 * time.Millisecond, Perf: []string{"no-such-event"}}, gone("no-such-even[t]"))
	if len(closing.Warnings) != 1 || !strings.Contains(closing.Warnings[0], `perf counted nothing; it said "event syntax error: 'no-such-event'`) {
		t.Errorf("an event that is none: warnings %q", closing.Warnings)
	}
}

// lateCounter is a perf that tells what it counted only when it is interrupted,
// as perf does with what it counted since it spoke last. It burns CPU time at once.
const lateCounter = `#!/bin/sh
trap 'echo "0.1,42,,faults,1,100.00,," >&2; exit 0' INT
i=0
while [ $i -lt 100000 ]; do i=$((i + 1)); done
: >"${0%/*}/counts"
while :; do sleep 0.01; done
`

// A run shorter than the time after which perf speaks has its counts, and the CPU
// time of perf is the sampler's also when perf has ended.
func TestPerfTellsTheRestAtTheEnd(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "perf"), []byte(lateCounter), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	h := connect(t, remote.Local{})
	defer h.Close()
	got, closing := sampledAfter(t, h, engine.Sampling{Period: time.Minute, Perf: []string{"faults"}}, "until test -e "+bin+"/counts; do sleep 0.01; done")
	if got["perf.faults"] != 42 || len(closing.Warnings) > 0 {
		t.Errorf("counted %v, warnings %q", got, closing.Warnings)
	}
	if closing.SamplerCPU < 0.01 {
		t.Errorf("the sampler and perf used %v s", closing.SamplerCPU)
	}
}

// nvidiaSmi prints what the program of that name prints for the same query, of
// one GPU that tells all and one that does not.
const nvidiaSmi = `#!/bin/sh
case "$*" in
"--query-gpu=index,utilization.gpu,memory.used,memory.total,power.draw --format=csv,noheader,nounits --loop-ms=100") ;;
*) echo "ERROR: Option $* is not recognized." >&2; exit 2 ;;
esac
while :; do
	echo "0, 50, 1000, 4000, 40.25"
	echo "1, [N/A], 3000, 4000, [Not Supported]"
	sleep 0.05
done
`

func TestGPUsAreRead(t *testing.T) {
	bin := t.TempDir()
	if err := os.WriteFile(filepath.Join(bin, "nvidia-smi"), []byte(nvidiaSmi), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	h := connect(t, remote.Local{})
	defer h.Close()
	got, closing := sampled(t, h, engine.Sampling{Period: 20 * time.Millisecond, GPU: true}, "gpu.0.power_watts", "gpu.1.memory_used_mib")
	for name, want := range map[string]float64{
		"gpu.0.utilization_percent": 50, "gpu.0.memory_used_mib": 1000, "gpu.0.power_watts": 40.25,
		"gpu.1.utilization_percent": math.NaN(), "gpu.1.memory_total_mib": 4000, "gpu.1.power_watts": math.NaN(),
	} {
		if x, ok := got[name]; !ok || x != want && !(math.IsNaN(x) && math.IsNaN(want)) {
			t.Errorf("%s is %v, want %v", name, x, want)
		}
	}
	if len(closing.Warnings) > 0 || closing.SamplerCPU <= 0 {
		t.Errorf("closing %+v", closing)
	}
	if left := withArgument(t, bin); len(left) > 0 {
		t.Errorf("still running: %q", left)
	}
}

// withArgument lists the processes whose command line holds a text.
func withArgument(t *testing.T, text string) []string {
	t.Helper()
	paths, err := filepath.Glob("/proc/[0-9]*/cmdline")
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, path := range paths {
		if line, err := os.ReadFile(path); err == nil && strings.Contains(string(line), text) {
			found = append(found, string(line))
		}
	}
	return found
}

// What nvidia-smi said before it died is not taken for what is now.
func TestGPUsOfADeadProgram(t *testing.T) {
	bin := t.TempDir()
	script := "#!/bin/sh\necho \"0, 50, 1000, 4000, 40.25\"\nexit 3\n"
	if err := os.WriteFile(filepath.Join(bin, "nvidia-smi"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	h := connect(t, remote.Local{})
	defer h.Close()
	got, closing := sampledAfter(t, h, engine.Sampling{Period: 20 * time.Millisecond, GPU: true}, gone(bin+"/nvidia-sm[i]"))
	if _, held := got["gpu.0.power_watts"]; held || !strings.Contains(strings.Join(closing.Warnings, "\n"), "nvidia-smi: ended with exit status 3") {
		t.Errorf("read %v, warnings %q", got, closing.Warnings)
	}
}

// Where there is no such program that is a warning, and the rest is read.
func TestGPUsThatAreNotThere(t *testing.T) {
	if path, err := exec.LookPath("nvidia-smi"); err == nil {
		enginetest.Unmet(t, "this machine has %s", path)
	}
	h := connect(t, remote.Local{})
	defer h.Close()
	got, closing := sampled(t, h, engine.Sampling{Period: 20 * time.Millisecond, GPU: true, Pressure: true})
	if len(closing.Warnings) == 0 || !strings.Contains(closing.Warnings[0], "GPUs cannot be read") {
		t.Errorf("warnings %q", closing.Warnings)
	}
	for name := range got {
		if strings.HasPrefix(name, "gpu.") {
			t.Errorf("read %s", name)
		}
	}
}

// A driver that does not answer is told in the words of nvidia-smi.
func TestGPUsThatDoNotAnswer(t *testing.T) {
	bin := t.TempDir()
	script := "#!/bin/sh\necho \"NVIDIA-SMI has failed because it couldn't communicate with the NVIDIA driver.\"\nexit 9\n"
	if err := os.WriteFile(filepath.Join(bin, "nvidia-smi"), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", bin+":"+os.Getenv("PATH"))
	h := connect(t, remote.Local{})
	defer h.Close()
	_, closing := sampledAfter(t, h, engine.Sampling{Period: 20 * time.Millisecond, GPU: true}, gone(bin+"/nvidia-sm[i]"))
	if len(closing.Warnings) != 1 || !strings.Contains(closing.Warnings[0], "couldn't communicate with the NVIDIA driver") {
		t.Errorf("warnings %q", closing.Warnings)
	}
}

// Whoever may not count is told why, and the rest is read.
func TestPerfOfAUserWithoutPrivileges(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "perf", "pgrep")
	level, err := os.ReadFile("/proc/sys/kernel/perf_event_paranoid")
	if n, convErr := strconv.Atoi(strings.TrimSpace(string(level))); err != nil || convErr != nil || n < 1 {
		enginetest.Unmet(t, "anybody may count on this machine: perf_event_paranoid is %q", level)
	}
	h := fleet(t, remotetest.Machines(t, 1), "alice").Host("n1")
	_, closing := sampledAfter(t, h, engine.Sampling{Period: 50 * time.Millisecond, Perf: []string{"task-clock"}, Processes: true}, gone("^per[f] stat"), "process.count")
	if !strings.Contains(strings.Join(closing.Warnings, "\n"), "Access to performance monitoring") {
		t.Errorf("warnings %q", closing.Warnings)
	}
}
