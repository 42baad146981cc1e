package tables

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"math/rand/v2"
	"path"
	"runtime"
	"runtime/debug"
	"testing"
	"time"

	"mpf/engine"
	"mpf/results/fsys"
	"mpf/results/parquet"
	"mpf/results/record"
)

// sampled gives the attempts of a campaign segments of n readings on each host.
func sampled(t testing.TB, tree fsys.FS, c *campaign, n int, period time.Duration) {
	t.Helper()
	sampledBy(t, tree, c, n, period, func(start time.Time, host int) func(int) engine.Reading {
		return func(k int) engine.Reading { return lookAt(start, k, host, period) }
	})
}

// sampledBy does so with the readings of a host that look gives for a start.
func sampledBy(t testing.TB, tree fsys.FS, c *campaign, n int, period time.Duration, look func(time.Time, int) func(int) engine.Reading) {
	t.Helper()
	c.plans[0].Experiment.Sampling = engine.Sampling{Period: period}
	for _, a := range c.attempts {
		dir := c.AttemptDir(a.Start.Run.ID, a.Start.Attempt)
		if err := fsys.MakeDir(tree, dir); err != nil {
			t.Fatal(err)
		}
		for i, h := range a.Start.Hosts {
			var out bytes.Buffer
			s, err := parquet.NewSegment(&out, h.Host)
			if err != nil {
				t.Fatal(err)
			}
			next := look(a.Start.Wall, i)
			for k := range n {
				s.Put(next(k))
				if k%128 == 127 { // the queue must not overflow
					waitFor(s, int64(k+1))
				}
			}
			rows, err := s.Close()
			if err != nil || rows != int64(n) {
				t.Fatalf("%d rows, %v", rows, err)
			}
			name := record.SegmentName(h.Host)
			if err := fsys.WriteFile(tree, path.Join(dir, name), out.Bytes()); err != nil {
				t.Fatal(err)
			}
			done := s.Written()
			a.Files = append(a.Files, record.File{Path: name, Size: done.Size, SHA256: done.SHA256, Rows: done.Rows})
			a.Done.Hosts = append(a.Done.Hosts, engine.HostRecord{
				Host: h.Host, Roles: []string{h.Role}, BootID: h.BootID, Clock: engine.ClockOffset{Offset: time.Second, Bound: time.Millisecond},
				Ended: engine.Closing{SamplerCPU: 0.01, SampleSize: 1000, Readings: n},
			})
		}
	}
}

// waitFor yields until a segment has caught up.
func waitFor(s *parquet.Segment, n int64) {
	for s.Taken() < n {
		runtime.Gosched()
	}
}

// lookAt is the k-th reading of the i-th host: node1 is idle, node2 busy.
func lookAt(start time.Time, k, i int, period time.Duration) engine.Reading {
	busy := float64(50 * i)
	r := engine.Reading{
		Wall: start.Add(time.Duration(k) * period), Mono: time.Duration(k) * period, Took: 200 * time.Microsecond,
		CPUs: 4, CPUMean: busy, CPUMin: busy / 2, CPUMax: busy + 10, CPUUser: float64(k) * busy / 100, Load1: 0.5,
		MemTotal: 16 << 30, MemAvailable: 8<<30 - int64(k)<<10, MemPercent: 50, DiskPercent: 20,
		DiskReadBytes: int64(k) << 20, DiskWrittenBytes: int64(2*k) << 20, NetLoSentBytes: int64(k) * 1000,
	}
	if k == 0 {
		r.CPUMean, r.CPUMin, r.CPUMax = math.NaN(), math.NaN(), math.NaN()
	}
	if i == 1 && k%2 == 0 {
		r.Extra = map[string]float64{"gpu0_percent": float64(k)}
	}
	return r
}

// busyHost returns readings like those of a host at work: what it counts goes on
// by amounts that cannot be foretold, the clocks are a little late each time.
func busyHost(start time.Time, host int, period time.Duration) func(int) engine.Reading {
	r := rand.New(rand.NewPCG(uint64(host), 5))
	tenth := func(x float64) float64 { return math.Round(10*min(100, max(0, x))) / 10 }
	now := engine.Reading{CPUs: 16, MemTotal: 64 << 30, MemAvailable: 40 << 30, DiskPercent: 37.5, CPUIdle: 1e6}
	cpu := 40.0
	return func(k int) engine.Reading {
		late := time.Duration(r.IntN(300_000))
		now.Wall, now.Mono = start.Add(time.Duration(k)*period+late), time.Duration(k)*period+late
		now.Took = 150*time.Microsecond + time.Duration(r.IntN(80_000))
		cpu = min(100, max(0, cpu+r.NormFloat64()*5))
		now.CPUMean, now.CPUMin, now.CPUMax = tenth(cpu), tenth(cpu-20*r.Float64()), tenth(cpu+20*r.Float64())
		for _, ticks := range []*float64{&now.CPUUser, &now.CPUSystem, &now.CPUIdle, &now.CPUSoftIRQ} {
			*ticks = math.Round(100**ticks+float64(r.IntN(60))) / 100
		}
		now.Load1 = math.Round(cpu*16) / 100
		now.MemAvailable += int64(r.IntN(2000)-1000) << 12
		now.MemPercent = tenth(100 * float64(now.MemTotal-now.MemAvailable) / float64(now.MemTotal))
		if r.IntN(3) == 0 {
			now.DiskWrittenBytes += int64(r.IntN(500)) << 12
		}
		for _, count := range []*int64{&now.NetLoSentBytes, &now.NetLoReceivedBytes, &now.NetExtSentBytes, &now.NetExtReceivedBytes} {
			*count += int64(r.IntN(10_000_000))
		}
		return now
	}
}

func TestSamplesBecomeUsageAndRows(t *testing.T) {
	tree, c := memory(t), newCampaign(1)
	sampled(t, tree, c, 4, time.Second)
	report, err := Publish(context.Background(), c, tree, Options{})
	if err != nil || len(report.Warnings) > 0 {
		t.Fatal(err, report.Warnings)
	}
	u := load(t, tree, UsageFile)
	if u.Len() != 24 {
		t.Fatalf("%d rows", u.Len())
	}
	for name, want := range map[string]engine.Value{
		"host": "node2", "role": "client", "node": int64(1), "cpu_avg_utilization_pct": 50.0, "cpu_avg_utilization_over40_pct": 100.0,
		"total_disk_io_read_mb": 3.0, "total_disk_io_write_mb": 6.0, "n_samples": int64(3), "window_s": 3.0,
		"n_cpus": int64(4), "sampler_cpu_s": 0.01, "clock_offset_s": 1.0, "warnings": nil,
	} {
		if have := cell(t, u, 1, name); have != want {
			t.Errorf("%s is %v, want %v", name, have, want)
		}
	}
	s := load(t, tree, SamplesFile)
	if s.Len() != 12*2*4 {
		t.Fatalf("%d samples", s.Len())
	}
	first := c.attempts[0]
	if cell(t, s, 0, "run_id") != first.Start.Run.ID.String() || cell(t, s, 0, "cpu_mean") != nil || cell(t, s, 0, "net_ext_sent") != int64(0) ||
		!cell(t, s, 1, "time").(time.Time).Equal(first.Start.Wall.Add(2*time.Second)) {
		t.Error("the first samples differ")
	}
	if cell(t, s, 0, "gpu0_percent") != nil || cell(t, s, 6, "gpu0_percent") != 2.0 {
		t.Error("extra readings are not in their column")
	}
}

func TestDamagedSamplesAreNotBelieved(t *testing.T) {
	tree, c := memory(t), newCampaign(1)
	sampled(t, tree, c, 3, time.Second)
	c.attempts[2].Files[0].SHA256 = "00"
	c.attempts[3].Files[1].Size++
	report, err := Publish(context.Background(), c, tree, Options{})
	if err != nil || len(report.Warnings) != 2 || report.Warnings[0].Code != "samples-damaged" {
		t.Fatalf("%v, %v", err, report.Warnings)
	}
	u := load(t, tree, UsageFile)
	if u.Len() != 24 || cell(t, u, 4, "max_t_mem_percent") != nil || cell(t, u, 4, "warnings") == nil || cell(t, u, 5, "max_t_mem_percent") != 50.0 {
		t.Error("damaged samples gave metrics")
	}
	if s := load(t, tree, SamplesFile); s.Len() != 22*3 {
		t.Errorf("%d samples", s.Len())
	}
}

func TestSamplesThatWereDroppedStayInTheirTables(t *testing.T) {
	tree, c := memory(t), newCampaign(1)
	for i, a := range c.attempts {
		a.Start.Nonce = fmt.Sprint(i)
		a.Done.Steps = []engine.StepRecord{{Step: "serve", Host: "node1", Start: a.Start.Wall, Seconds: 3}}
	}
	sampled(t, tree, c, 3, time.Second)
	if _, err := NewPublisher(tree, Options{GoOn: true}).Publish(context.Background(), c, true); err != nil {
		t.Fatal(err)
	}
	before := map[string][]byte{}
	for _, name := range []string{StepsFile, UsageFile, SamplesFile} {
		before[name] = published(t, tree, name)
	}
	for _, a := range c.attempts {
		for _, f := range a.Files {
			if err := tree.Remove(path.Join(c.AttemptDir(a.Start.Run.ID, 1), f.Path)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				t.Fatal(err)
			}
		}
	}
	for _, goOn := range []bool{true, false} {
		files, err := NewPublisher(tree, Options{GoOn: goOn}).Publish(context.Background(), c, true)
		if err != nil || len(files) != 4 {
			t.Fatal(err, files)
		}
		for name, want := range before {
			if !bytes.Equal(want, published(t, tree, name)) {
				t.Errorf("%s was made of samples that are gone", name)
			}
		}
	}
}

func TestWithoutSamplingTheMetricsAreNullAndNobodyWarns(t *testing.T) {
	c := newCampaign(1)
	c.attempts[0].Done.Hosts = []engine.HostRecord{{Host: "node1", Roles: []string{"server", "client"}}}
	tree, _ := publish(t, c, Options{})
	u := load(t, tree, UsageFile)
	if u.Len() != 1 || cell(t, u, 0, "warnings") != nil || cell(t, u, 0, "node_cpu_hours") != nil || cell(t, u, 0, "role") != "server,client" {
		t.Errorf("%d rows", u.Len())
	}
}

// BenchmarkSamples publishes what 64 busy hosts say ten times a second in an
// hour. The limit is 10 s, in memory that does not grow with the samples.
func BenchmarkSamples(b *testing.B) {
	const hostCount, readings = 64, 36_000
	tree, c := disk(b), newCampaign(1)
	c.attempts = c.attempts[:1]
	a := c.attempts[0]
	a.Start.Hosts = nil
	for i := range hostCount {
		a.Start.Hosts = append(a.Start.Hosts, engine.RoleHost{Role: "client", Host: fmt.Sprintf("node%02d", i)})
	}
	start := time.Now()
	const period = 100 * time.Millisecond
	sampledBy(b, tree, c, readings, period, func(start time.Time, host int) func(int) engine.Reading {
		return busyHost(start, host, period)
	})
	b.ReportMetric(time.Since(start).Seconds(), "s/written")
	for b.Loop() {
		debug.FreeOSMemory()
		base := resident(b)
		peak := watch(b)
		cpu := cpuSeconds(b)
		start := time.Now()
		report, err := Publish(context.Background(), c, tree, Options{})
		if err != nil {
			b.Fatal(err)
		}
		took := time.Since(start).Seconds()
		b.ReportMetric(took, "s/publication")
		b.ReportMetric(took/10, "of-limit")
		b.ReportMetric(cpuSeconds(b)-cpu, "cpu-s/publication")
		b.ReportMetric(float64(peak()-base)/1e6, "MB/over-base")
		b.ReportMetric(float64(report.Tables[3].Rows), "rows")
		b.ReportMetric(float64(report.Tables[3].Size)/float64(report.Tables[3].Rows), "B/row")
	}
}
