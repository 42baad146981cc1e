package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mpf/engine"
	"mpf/results/campaign"
	"mpf/results/tables"
)

// What going on with a large campaign may cost until its first new run.
const (
	goOnRuns   = 1_000_000
	goOnLimit  = time.Second
	goOnMemory = 200 << 10 // KiB over those of a campaign without rows
)

const large = `
experiment("large", replicates = 1001, sample = False)
variable("a", range(10))
variable("b", range(10))
variable("c", range(10))
client = role("client")
def step(ctx, a, b, c):
    return {"r0": 0.5, "r1": 0.5, "r2": 0.5, "r3": 0.5, "r4": 0.5, "r5": 0.5}
client.step(step)
`

// BenchmarkGoOn lets the program as it is built for users go on with a campaign
// of a million rows, and watches its memory from outside.
func BenchmarkGoOn(b *testing.B) {
	dir := b.TempDir()
	b.Setenv("MPF_HOST_LOCK", filepath.Join(dir, "host.lock"))
	built, file := filepath.Join(dir, "mpf"), filepath.Join(dir, "large.star")
	if text, err := exec.Command("go", "build", "-o", built, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, text)
	}
	if err := os.WriteFile(file, []byte(large), 0o600); err != nil {
		b.Fatal(err)
	}
	base := goOn(b, built, filepath.Join(dir, "small"), file, 1)
	out := filepath.Join(dir, "out")
	goOn(b, built, out, file, 1)
	fillCampaign(b, out, file)
	done := int64(goOnRuns)
	for b.Loop() {
		done++
		w := goOn(b, built, out, file, done)
		b.ReportMetric(w.firstRun.Seconds(), "s/first-run")
		b.ReportMetric(float64(w.firstRun)/float64(goOnLimit), "of-limit")
		b.ReportMetric(float64(w.atFirstRun-base.atFirstRun)/1e3*1.024, "MB/over-base")
		b.ReportMetric(float64(w.atFirstRun-base.atFirstRun)/goOnMemory, "of-memory-limit")
		b.ReportMetric(float64(w.atEnd-base.atEnd)/1e3*1.024, "MB/over-base-at-end")
		b.ReportMetric(w.end.Seconds(), "s/end")
	}
}

// A passage is what was seen of the program while it ran; memory is the largest
// resident set so far in KiB.
type passage struct {
	firstRun, end     time.Duration
	atFirstRun, atEnd int64
}

// goOn runs the design up to some run.
func goOn(b *testing.B, built, out, file string, limit int64) (w passage) {
	b.Helper()
	cmd := exec.Command(built, "run", "--shared-host", "--limit", fmt.Sprint(limit), "-o", out, file)
	cmd.Stderr = io.Discard
	start := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	stop, seen := make(chan struct{}), make(chan map[time.Duration]int64)
	go watchMemory(cmd.Process.Pid, start, stop, seen)
	if err := cmd.Wait(); err != nil {
		b.Fatal(err)
	}
	w.end = time.Since(start)
	close(stop)
	w.firstRun = lastStart(b, out).Sub(start)
	for at, kib := range <-seen {
		w.atEnd = max(w.atEnd, kib)
		if at <= w.firstRun+5*time.Millisecond {
			w.atFirstRun = max(w.atFirstRun, kib)
		}
	}
	return w
}

func watchMemory(pid int, start time.Time, stop chan struct{}, done chan map[time.Duration]int64) {
	seen := map[time.Duration]int64{}
	for {
		select {
		case <-stop:
			done <- seen
			return
		case <-time.After(2 * time.Millisecond):
			status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // it may have ended
			_, after, _ := strings.Cut(string(status), "VmHWM:")
			var kib int64
			if n, _ := fmt.Sscan(after, &kib); n == 1 {
				seen[time.Since(start)] = kib
			}
		}
	}
}

// lastStart returns when the last attempt of a campaign began.
func lastStart(b *testing.B, out string) (wall time.Time) {
	b.Helper()
	c, err := campaign.Read(out)
	if err != nil {
		b.Fatal(err)
	}
	defer c.Close()
	for a, err := range c.AttemptsAfter(c.Summary().Done - 1) {
		if err != nil {
			b.Fatal(err)
		}
		wall = a.Start.Wall
	}
	return wall
}

// fillCampaign records all runs of a campaign that are to be there already.
func fillCampaign(b *testing.B, out, file string) {
	b.Helper()
	p := &program{ctx: b.Context(), say: newVoice(io.Discard, io.Discard)}
	l, err := p.load(file, &choice{})
	if err != nil {
		b.Fatal(err)
	}
	c, err := campaign.Open(out, campaign.Config{
		MPF: mpfVersion(), Durability: campaign.OS, Tables: tables.NewPublisher(nil, tables.Options{MPF: mpfVersion(), GoOn: true}),
	})
	if err != nil {
		b.Fatal(err)
	}
	var next atomic.Int64
	next.Store(1)
	var workers sync.WaitGroup
	for range 256 {
		workers.Go(func() {
			for i := next.Add(1) - 1; i < goOnRuns; i = next.Add(1) - 1 {
				if err := recordRun(b.Context(), c, l.design.Run(i)); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	workers.Wait()
	if err := c.Close(); err != nil {
		b.Fatal(err)
	}
}

func recordRun(ctx context.Context, c *campaign.Campaign, run engine.Run) error {
	now := time.Now()
	log, err := c.Open(ctx, engine.Start{
		Run: run, Attempt: 1, Nonce: "bench-" + run.ID.String(), Wall: now,
		Hosts: []engine.RoleHost{{Role: "client", Host: "local", BootID: "b"}},
	})
	if err != nil {
		return err
	}
	d := engine.Done{Status: engine.OK, Wall: now, Seconds: 0.001, Steps: []engine.StepRecord{{Step: "step", Role: "client", Host: "local", Status: engine.OK, Start: now, Seconds: 0.001}}}
	d.Hosts = []engine.HostRecord{{Host: "local", Roles: []string{"client"}, BootID: "b"}}
	for i := range 6 {
		d.Results = append(d.Results, engine.NamedValue{Name: fmt.Sprint("r", i), Value: float64(run.Position) / float64(i+1)})
	}
	return log.Done(ctx, d)
}
