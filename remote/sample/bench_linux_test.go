package sample

import (
	_ "embed"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mpf/engine/enginetest"
	"mpf/remote/wire"
)

func BenchmarkRead(b *testing.B) {
	r := NewReader(wire.Sampling{Period: time.Second}, Host{})
	defer r.Close()
	b.ReportAllocs()
	for b.Loop() {
		r.Read()
	}
}

//go:embed testdata/read.py
var psutilRead string

// A thousand readings against as many of the same counters by psutil, in CPU
// time.
func BenchmarkAgainstPsutil(b *testing.B) {
	python := psutilPython(b)
	const readings = 1000
	r := NewReader(wire.Sampling{Period: time.Second}, Host{})
	defer r.Close()
	r.Read()
	var ours, theirs time.Duration
	for b.Loop() {
		before := cpuTime(b)
		for range readings {
			r.Read()
		}
		ours += cpuTime(b) - before
		out, err := exec.Command(python, "-c", psutilRead, strconv.Itoa(readings)).Output()
		if err != nil {
			b.Fatal(err)
		}
		seconds, err := strconv.ParseFloat(strings.TrimSpace(string(out)), 64)
		if err != nil {
			b.Fatal(err)
		}
		theirs += time.Duration(seconds * float64(time.Second))
	}
	b.ReportMetric(ours.Seconds()/theirs.Seconds(), "of-psutil")
	b.ReportMetric(float64(ours.Microseconds())/float64(b.N*readings), "µs-CPU/reading")
	b.ReportMetric(float64(theirs.Microseconds())/float64(b.N*readings), "µs-CPU/reading-psutil")
}

// psutilPython is a Python that has psutil: the system's, or another one that is
// found first.
func psutilPython(b *testing.B) string {
	for _, python := range []string{"/usr/bin/python3", "python3"} {
		if exec.Command(python, "-c", "import psutil").Run() == nil {
			return python
		}
	}
	enginetest.Unmet(b, "psutil is not installed: apt-get install python3-psutil")
	return ""
}

// cpuTime is what this process has used.
func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
