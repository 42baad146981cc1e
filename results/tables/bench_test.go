package tables

import (
	"context"
	"encoding/binary"
	"iter"
	"runtime/debug"
	"runtime/metrics"
	"syscall"
	"testing"
	"time"

	"mpf/results/fsys"
	"mpf/results/record"
)

// big makes attempts up as it is walked over, so that it takes no memory.
type big struct {
	*campaign
	n int64
}

func (b big) Attempts() iter.Seq2[*record.Attempt, error] { return b.AttemptsAfter(0) }

func (b big) AttemptsAfter(n int64) iter.Seq2[*record.Attempt, error] {
	return func(yield func(*record.Attempt, error) bool) {
		small := b.campaign.attempts
		var a record.Attempt // nobody keeps it
		for i := n; i < b.n; i++ {
			a = *small[int(i)%len(small)]
			a.Sequence = i + 1
			a.Start.Run.Position = i
			a.Start.Run.Replicate = int(i/12) + 1
			a.Start.Run.Block = int(i/12) + 1
			h := uint64(i) * 0x9e3779b97f4a7c15
			binary.BigEndian.PutUint64(a.Start.Run.ID[:], mixed(h))
			binary.BigEndian.PutUint64(a.Start.Run.ID[8:], mixed(h+1))
			a.Start.Wall = a.Start.Wall.Add(time.Duration(i/120*120) * 1012 * time.Millisecond)
			if !yield(&a, nil) {
				return
			}
		}
	}
}

func mixed(x uint64) uint64 {
	x ^= x >> 33
	x *= 0xff51afd7ed558ccd
	x ^= x >> 33
	x *= 0xc4ceb9fe1a85ec53
	return x ^ x>>33
}

// BenchmarkPublish publishes a million runs, then once more after a hundred new
// ones. The limits are 1.5 s, 150 MB over the base and 35 bytes a row, and 1 %
// of the sixty seconds between two publications.
func BenchmarkPublish(b *testing.B) {
	const n = 1_000_000
	tree := disk(b)
	src := big{newCampaign(10), n}
	for _, a := range src.attempts {
		a.Start.Nonce = "nonce"
	}
	for b.Loop() {
		if err := fsys.RemoveTree(tree, MarkFile); err != nil {
			b.Fatal(err)
		}
		debug.FreeOSMemory()
		base := resident(b)
		peak := watch(b)
		p := NewPublisher(tree, Options{GoOn: true}) // as mpf run does
		cpu := cpuSeconds(b)
		start := time.Now()
		files, err := p.Publish(context.Background(), src, false)
		if err != nil {
			b.Fatal(err)
		}
		whole := time.Since(start)
		top := peak()
		b.ReportMetric(whole.Seconds(), "s/publication")
		b.ReportMetric(whole.Seconds()/1.5, "of-limit")
		b.ReportMetric(cpuSeconds(b)-cpu, "cpu-s/publication")
		b.ReportMetric(float64(top-base)/1e6, "MB/over-base")
		b.ReportMetric(float64(files[0].Size)/n, "B/row")
		again := src
		again.n += 100
		cpu, start = cpuSeconds(b), time.Now()
		if _, err := p.Publish(context.Background(), again, false); err != nil {
			b.Fatal(err)
		}
		b.ReportMetric(100*time.Since(start).Seconds()/60, "%/of-60s-again")
		b.ReportMetric(100*(cpuSeconds(b)-cpu)/60, "%/of-60s-of-cpu-again")
	}
}

// BenchmarkGoOn publishes a million runs and a hundred more, the latter by
// another publisher, as when mpf goes on with a campaign. The limit is 1 % of the
// sixty seconds until the next publication; how long it would take to derive all
// anew is beside it.
func BenchmarkGoOn(b *testing.B) {
	const n = 1_000_000
	tree := disk(b)
	src := big{newCampaign(10), n}
	for _, a := range src.attempts {
		a.Start.Nonce = "nonce"
	}
	start := time.Now()
	if _, err := NewPublisher(tree, Options{GoOn: true}).Publish(context.Background(), src, false); err != nil {
		b.Fatal(err)
	}
	anew := time.Since(start).Seconds()
	src.n += 100
	for b.Loop() {
		debug.FreeOSMemory()
		base, peak := resident(b), watch(b)
		cpu, start := cpuSeconds(b), time.Now()
		if _, err := NewPublisher(tree, Options{GoOn: true}).Publish(context.Background(), src, false); err != nil {
			b.Fatal(err)
		}
		took := time.Since(start).Seconds()
		b.ReportMetric(100*took/60, "%/of-60s")
		b.ReportMetric(cpuSeconds(b)-cpu, "cpu-s")
		b.ReportMetric(float64(peak()-base)/1e6, "MB/over-base")
		b.ReportMetric(anew/took, "x-faster-than-anew")
		b.StopTimer()
		src.n += 100
		b.StartTimer()
	}
}

// cpuSeconds returns the CPU time that the process used: other than the wall
// clock it does not depend on what else the machine does.
func cpuSeconds(b *testing.B) float64 {
	b.Helper()
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano()).Seconds()
}

// resident returns the bytes that the process holds.
func resident(b *testing.B) int64 {
	samples := []metrics.Sample{{Name: "/memory/classes/total:bytes"}, {Name: "/memory/classes/heap/released:bytes"}}
	metrics.Read(samples)
	return int64(samples[0].Value.Uint64() - samples[1].Value.Uint64())
}

// watch returns a function that ends the watch and returns the peak.
func watch(b *testing.B) func() int64 {
	stop, done := make(chan struct{}), make(chan int64)
	go func() {
		var top int64
		tick := time.NewTicker(5 * time.Millisecond)
		defer tick.Stop()
		for {
			select {
			case <-stop:
				done <- top
				return
			case <-tick.C:
				top = max(top, resident(b))
			}
		}
	}()
	return func() int64 { close(stop); return <-done }
}
