package journal

import (
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"mpf/engine"
	"mpf/results/fsys"
)

// benchStart and benchEnd are the two events of a short run.
func benchStart(i uint64) *Started {
	run := engine.Run{Treatment: engine.Treatment{1, 2, 3, -1}, Rank: i, Replicate: 1, Block: 1, Position: int64(i)}
	binary.BigEndian.PutUint64(run.ID[:], i*0x9e3779b97f4a7c15)
	binary.BigEndian.PutUint64(run.ID[8:], i)
	return &Started{Plan: 1, Invocation: 1, Start: engine.Start{
		Run: run, Attempt: 1, Nonce: fmt.Sprintf("%032x", i), Group: "all", Wall: time.Unix(1800000000, 0),
		Hosts: []engine.RoleHost{{Role: "client", Host: "node1", BootID: "7c2d5d5e"}},
	}}
}

func benchEnd(s *Started, columns int) *Ended {
	row := make(engine.Results, columns)
	for i := range row {
		row[i] = engine.NamedValue{Name: fmt.Sprintf("result_%02d", i), Value: float64(s.Start.Run.Rank) * 1.1}
	}
	return &Ended{Run: s.Start.Run.ID, Attempt: 1, Nonce: s.Start.Nonce, Done: engine.Done{
		Status: engine.OK, Results: row, Wall: time.Unix(1800000001, 0), Seconds: 1.25,
		Steps: []engine.StepRecord{{Step: "measure", Role: "client", Host: "node1", Status: engine.OK, Start: time.Unix(1800000000, 5), Seconds: 1.2}},
	}}
}

func openBench(b *testing.B, dir string) *Journal {
	b.Helper()
	tree, err := fsys.OpenDir(dir)
	must(b, err)
	must(b, fsys.MakeDir(tree, fsys.TempDir))
	j, err := Open(tree, Config{MPF: "bench", Durability: "strict", Now: time.Now})
	must(b, err)
	return j
}

func beginBench(b *testing.B) *Journal {
	j := openBench(b, b.TempDir())
	must(b, j.Commit(&Planned{Plan: 1, File: "plan/0001.json"}))
	return j
}

// syncRate measures how often a second the disk makes an append of some size
// durable.
func syncRate(b *testing.B, size int) float64 {
	tree, err := fsys.OpenDir(b.TempDir())
	must(b, err)
	f, err := fsys.Create(tree, "f")
	must(b, err)
	defer f.Close()
	data := make([]byte, size)
	began, count := time.Now(), 0
	for time.Since(began) < 500*time.Millisecond {
		_, err := f.Write(data)
		must(b, err)
		must(b, f.Sync())
		count++
	}
	return float64(count) / time.Since(began).Seconds()
}

// cpuSeconds returns the CPU time that the process used: other than the wall
// clock it does not depend on what else the machine does.
func cpuSeconds(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	must(b, syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	return float64(u.Utime.Nano()+u.Stime.Nano()) / 1e9
}

// BenchmarkCommit compares the rate of durable events, one by one and with many
// in flight, with that of the bare disk.
func BenchmarkCommit(b *testing.B) {
	for _, flying := range []int{1, 64, 1024, 2048, 4096} {
		b.Run(fmt.Sprintf("flying=%d", flying), func(b *testing.B) {
			j := beginBench(b)
			disk := syncRate(b, 500)
			cpu := cpuSeconds(b)
			var next atomic.Uint64
			var workers sync.WaitGroup
			b.ResetTimer()
			for range flying {
				workers.Go(func() {
					for i := next.Add(1); i <= uint64(b.N); i = next.Add(1) {
						s := benchStart(i)
						if err := j.Commit(s); err != nil {
							b.Error(err)
						}
						if err := j.Commit(benchEnd(s, 2)); err != nil {
							b.Error(err)
						}
					}
				})
			}
			workers.Wait()
			events := 2 * float64(b.N) / b.Elapsed().Seconds()
			b.ReportMetric(events, "events/s")
			b.ReportMetric(events/2, "runs/s")
			b.ReportMetric(events/disk, "x-disk")
			b.ReportMetric((cpuSeconds(b)-cpu)/float64(2*b.N)*1e6, "cpu-us/event")
			must(b, j.Close())
		})
	}
}

// BenchmarkOpen goes on with a journal of many finished runs.
func BenchmarkOpen(b *testing.B) {
	for _, runs := range []int{100_000, 1_000_000} {
		b.Run(fmt.Sprintf("runs=%d", runs), func(b *testing.B) { benchmarkOpen(b, runs) })
	}
}

func benchmarkOpen(b *testing.B, runs int) {
	dir := b.TempDir()
	fillJournal(b, dir, runs)
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	b.ResetTimer()
	for range b.N {
		j := openBench(b, dir)
		if state := j.State(benchStart(1).Start.Run.ID); state.Status != engine.OK {
			b.Fatalf("state %+v", state)
		}
		b.StopTimer()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.Sys-before.Sys)/1e6, "MB-from-system")
		runtime.GC()
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(after.HeapAlloc-before.HeapAlloc)/1e6, "MB-kept")
		began, count := time.Now(), 0
		for _, err := range j.Attempts(0) {
			must(b, err)
			count++
		}
		b.ReportMetric(time.Since(began).Seconds(), "s-to-read-all")
		if count != runs {
			b.Fatalf("%d attempts", count)
		}
		must(b, j.Close())
		b.StartTimer()
	}
}

// fillJournal writes finished runs, without syncing.
func fillJournal(b *testing.B, dir string, runs int) {
	tree, err := fsys.OpenDir(dir)
	must(b, err)
	must(b, fsys.MakeDir(tree, fsys.TempDir))
	j, err := Open(fsys.Unsynced(tree), Config{Now: time.Now})
	must(b, err)
	must(b, j.Commit(&Planned{Plan: 1, File: "plan/0001.json"}))
	var next atomic.Uint64
	var workers sync.WaitGroup
	for range 256 {
		workers.Go(func() {
			for i := next.Add(1); i <= uint64(runs); i = next.Add(1) {
				s := benchStart(i)
				if err := errors.Join(j.Commit(s), j.Commit(benchEnd(s, 20))); err != nil {
					b.Error(err)
				}
			}
		})
	}
	workers.Wait()
	must(b, j.Commit(&Closed{}))
	must(b, j.Close())
}
