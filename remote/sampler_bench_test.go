package remote_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"mpf/engine"
	"mpf/remote"
	"mpf/remote/remotetest"
)

// BenchmarkSamplerAt1Hz watches this machine while nothing else is asked of the
// agent. All of the agent's own time counts, but for that of its start.
func BenchmarkSamplerAt1Hz(b *testing.B) {
	const window, limit = 20 * time.Second, 0.05 // percent of a CPU
	used, sampled := watch(b, time.Second, window)
	percent := 100 * used.Seconds() / (float64(b.N) * window.Seconds())
	b.ReportMetric(percent, "%CPU")
	b.ReportMetric(percent/limit, "of-limit")
	b.ReportMetric(1e6*sampled.SamplerCPU/float64(sampled.Readings), "µs/reading")
}

// BenchmarkSamplerAt100Hz watches it as often as can be, and prints which part of
// the ticks was missed.
func BenchmarkSamplerAt100Hz(b *testing.B) {
	const window, limit = 5 * time.Second, 1 // percent of the ticks
	used, sampled := watch(b, 10*time.Millisecond, window)
	missed := 100 * float64(sampled.Missed) / float64(sampled.Readings+sampled.Missed)
	b.ReportMetric(missed, "%missed")
	b.ReportMetric(missed/limit, "of-limit")
	b.ReportMetric(100*used.Seconds()/(float64(b.N)*window.Seconds()), "%CPU")
}

// watch samples for a window in each turn. It returns the agent's CPU time in all
// windows, whose edges lie between two readings, and the sums of what it said at
// the end of each.
func watch(b *testing.B, period, window time.Duration) (time.Duration, engine.Closing) {
	b.Helper()
	b.Setenv("MPF_HOST_LOCK", filepath.Join(b.TempDir(), "lock"))
	h, err := remote.Connect(b.Context(), remote.Local{}, here(), remote.LinkOptions{})
	if err != nil {
		b.Fatal(err)
	}
	defer h.Close()
	var used time.Duration
	var sum engine.Closing
	for b.Loop() {
		a := remotetest.NewAttempt()
		a.Readings = &remotetest.Readings{}
		a.Sampling.Period = period
		w, err := h.Open(b.Context(), a)
		if err != nil {
			b.Fatal(err)
		}
		out, err := w.Run(b.Context(), engine.Command{Argv: []string{"sh", "-c", "echo $PPID"}})
		if err != nil {
			b.Fatal(err)
		}
		agent := strings.TrimSpace(string(out.Stdout.Data))
		time.Sleep(3 * period / 2)
		before := cpuOf(b, agent)
		time.Sleep(window)
		used += cpuOf(b, agent) - before
		closing, err := w.Close(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		sum.SamplerCPU += closing.SamplerCPU
		sum.Readings += closing.Readings
		sum.Missed += closing.Missed
	}
	return used, sum
}

// cpuOf is the time that a process's threads have been on a CPU.
func cpuOf(b *testing.B, pid string) time.Duration {
	b.Helper()
	paths, err := filepath.Glob(fmt.Sprintf("/proc/%s/task/*/schedstat", pid))
	if err != nil || len(paths) == 0 {
		b.Fatalf("no times of process %q: %v", pid, err)
	}
	var sum time.Duration
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			b.Fatal(err)
		}
		first, _, _ := strings.Cut(string(text), " ")
		n, err := strconv.ParseInt(first, 10, 64)
		if err != nil {
			b.Fatal(err)
		}
		sum += time.Duration(n)
	}
	return sum
}
