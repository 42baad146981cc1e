package campaign

import (
	"fmt"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mpf/engine"
	"mpf/results/fsys"
)

// BenchmarkRun records short runs, some at once, and compares their rate with
// that of syncs of the bare disk. A run costs two commits at least.
func BenchmarkRun(b *testing.B) {
	for _, files := range []bool{false, true} {
		for _, flying := range []int{1, 16, 256} {
			b.Run(fmt.Sprintf("files=%v/flying=%d", files, flying), func(b *testing.B) { benchmarkRun(b, files, flying) })
		}
	}
}

func benchmarkRun(b *testing.B, files bool, flying int) {
	plan := testPlan(b.N, 1)
	runs := runsOf(plan)
	c, err := Create(filepath.Join(b.TempDir(), "out"), plan, nil, testConfig())
	must(b, err)
	disk := syncRate(b)
	var before, after syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &before))
	b.ResetTimer()
	var next atomic.Int64
	var workers sync.WaitGroup
	for range flying {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(b.N); i = next.Add(1) - 1 {
				if err := oneRun(c, runs[i], files); err != nil {
					b.Error(err)
				}
			}
		})
	}
	workers.Wait()
	b.StopTimer()
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &after))
	rate := float64(b.N) / b.Elapsed().Seconds()
	b.ReportMetric(rate, "runs/s")
	b.ReportMetric(2*rate/disk, "commits/sync")
	b.ReportMetric((cpuOf(after)-cpuOf(before))/float64(b.N)*1e6, "cpu-us/run")
	must(b, c.Close())
}

func oneRun(c *Campaign, run engine.Run, files bool) error {
	if files {
		return execute(c, run)
	}
	log, err := c.Open(ctx, startOf(run, 1))
	if err != nil {
		return err
	}
	return log.Done(ctx, doneOf(run))
}

func cpuOf(u syscall.Rusage) float64 {
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// syncRate measures how often a second the disk makes an append durable.
func syncRate(b *testing.B) float64 {
	tree, err := fsys.OpenDir(b.TempDir())
	must(b, err)
	f, err := fsys.Create(tree, "f")
	must(b, err)
	defer f.Close()
	began, count := time.Now(), 0
	for time.Since(began) < 300*time.Millisecond {
		_, err := f.Write(make([]byte, 500))
		must(b, err)
		must(b, f.Sync())
		count++
	}
	return float64(count) / time.Since(began).Seconds()
}

// BenchmarkGoOn opens a campaign of many finished runs and begins its first new
// run.
func BenchmarkGoOn(b *testing.B) {
	for _, runs := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprintf("runs=%d", runs), func(b *testing.B) { benchmarkGoOn(b, runs) })
	}
}

func benchmarkGoOn(b *testing.B, runs int) {
	const replicates = 1000
	plan := testPlan(runs/replicates, replicates)
	dir := filepath.Join(b.TempDir(), "out")
	config := testConfig()
	config.Durability = OS
	c, err := Create(dir, plan, nil, config)
	must(b, err)
	var workers sync.WaitGroup
	var next atomic.Int64
	all := runsOf(plan)
	for range 64 {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < int64(len(all)); i = next.Add(1) - 1 {
				if err := oneRun(c, all[i], false); err != nil {
					b.Error(err)
				}
			}
		})
	}
	workers.Wait()
	must(b, c.Close())
	grown := testPlan(runs/replicates+1, 1)
	id := engine.NewIdentifier(grown.Experiment.Name, grown.Experiment.Seed, grown.Experiment.Variables)
	debug.FreeOSMemory()
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	b.ResetTimer()
	for n := range b.N {
		c, err := Open(dir, testConfig())
		must(b, err)
		for i := range all { // the loop looks for what is missing
			if c.State(all[i].ID).Status != engine.OK {
				b.Fatal("a finished run is not found")
			}
		}
		must(b, c.Extend(grown, "extend"))
		treatment := engine.Treatment{runs / replicates}
		must(b, oneRun(c, engine.Run{ID: id.Identify(treatment, n+1), Treatment: treatment, Replicate: n + 1}, false))
		b.StopTimer()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapSys-before.HeapSys)/1e6, "MB-heap-grown")
		b.ReportMetric(float64(after.HeapInuse-before.HeapInuse)/1e6, "MB-in-use")
		must(b, c.release())
		b.StartTimer()
	}
}
