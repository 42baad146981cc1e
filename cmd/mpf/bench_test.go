package main

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// What a user waits for, and what a run may cost the machine that steers it.
const (
	helpLimit    = 15 * time.Millisecond
	planLimit    = 50 * time.Millisecond
	runLimit     = 2 * time.Millisecond // of the controller's CPU time
	fewRuns      = 100
	manyRuns     = 10_000
	noopRepeated = 4 // replicates of the no-op experiment
)

func BenchmarkHelp(b *testing.B) { benchmarkCommand(b, helpLimit, "--help") }

func BenchmarkPlan(b *testing.B) {
	file, err := filepath.Abs("../../experiments/iperf.star")
	if err != nil {
		b.Fatal(err)
	}
	benchmarkCommand(b, planLimit, "plan", file)
}

// benchmarkCommand times a command of the program as it is built for users.
func benchmarkCommand(b *testing.B, limit time.Duration, args ...string) {
	dir := b.TempDir()
	built := filepath.Join(dir, "mpf")
	if text, err := exec.Command("go", "build", "-o", built, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, text)
	}
	for b.Loop() {
		cmd := exec.Command(built, args...)
		cmd.Dir = dir
		if err := cmd.Run(); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.Elapsed())/float64(b.N)/float64(limit), "of-limit")
}

// A run that does nothing costs the controller little, and no more in a large
// campaign than in a small one.
func BenchmarkNoop(b *testing.B) {
	var few, many time.Duration
	for b.Loop() {
		few += controllerTime(b, fewRuns)
		many += controllerTime(b, manyRuns)
	}
	b.ReportMetric(float64(few)/float64(b.N)/float64(runLimit), "of-limit-in-100")
	b.ReportMetric(float64(many)/float64(b.N)/float64(runLimit), "of-limit-in-10000")
	b.ReportMetric(float64(many)/float64(few), "10000-over-100")
}

// controllerTime returns the CPU time of this process for each run of a
// campaign of no-op runs. The agent is another process.
func controllerTime(b *testing.B, runs int) time.Duration {
	b.Helper()
	dir := b.TempDir()
	file := filepath.Join(dir, "noop.star")
	if err := os.WriteFile(file, fmt.Appendf(nil, noop, runs/noopRepeated), 0o600); err != nil {
		b.Fatal(err)
	}
	before := cpuTime(b)
	var talk bytes.Buffer
	args := []string{"run", "--shared-host", "-o", filepath.Join(dir, "out"), file}
	if code := run(b.Context(), args, nil, io.Discard, &talk); code != exitOK {
		b.Fatalf("exit code %d\n%s", code, talk.Bytes())
	}
	return (cpuTime(b) - before) / time.Duration(runs)
}

func cpuTime(b *testing.B) time.Duration {
	b.Helper()
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		b.Fatal(err)
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
