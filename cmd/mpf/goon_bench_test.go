package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"mpf/engine"
	"mpf/results/campaign"
	"mpf/results/journal"
	"mpf/results/tables"
)

// What going on with a large campaign may cost until its first new run.
const (
	goOnRuns   = 1_000_000
	goOnLimit  = time.Second
	goOnMemory = 200 << 10 // KiB over those of a campaign without rows
	alone      = 2         // runs of that campaign
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
// of a million rows, and watches its time and memory from outside: until the
// first new run, as whoever gives the command again waits for it, and to the end
// of an invocation of one run.
func BenchmarkGoOn(b *testing.B) {
	dir := b.TempDir()
	b.Setenv("MPF_HOST_LOCK", filepath.Join(dir, "host.lock"))
	g := &goingOn{built: filepath.Join(dir, "mpf"), dir: dir, file: filepath.Join(dir, "large.star")}
	if text, err := exec.Command("go", "build", "-o", g.built, ".").CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, text)
	}
	if err := os.WriteFile(g.file, []byte(large), 0o600); err != nil {
		b.Fatal(err)
	}
	g.whole(b, 1)
	base, baseEnd := g.firstRun(b), g.whole(b, alone)
	fillCampaign(b, g.campaign(b), g.file)
	b.Run("first-run", func(b *testing.B) {
		for b.Loop() {
			w := g.firstRun(b)
			w.report(b, base)
			b.ReportMetric(float64(w.took)/float64(goOnLimit), "of-limit")
			b.ReportMetric(float64(w.memory-base.memory)/goOnMemory, "of-memory-limit")
		}
	})
	done := int64(goOnRuns)
	b.Run("to-the-end", func(b *testing.B) {
		for b.Loop() {
			done++
			g.whole(b, done).report(b, baseEnd)
		}
	})
}

// goingOn gives the same command again and again.
type goingOn struct{ built, dir, file string }

// A passage is what was seen of an invocation; memory is its largest resident
// set in KiB.
type passage struct {
	took   time.Duration
	memory int64
}

func (w passage) report(b *testing.B, base passage) {
	load, _ := os.ReadFile("/proc/loadavg")
	b.Logf("%v, %d KiB; without rows %v, %d KiB; load %s", w.took, w.memory, base.took, base.memory, load)
	b.ReportMetric(w.took.Seconds(), "s")
	b.ReportMetric(base.took.Seconds(), "s-without-rows")
	b.ReportMetric(float64(w.memory-base.memory)/1e3*1.024, "MB-over-base")
}

func (g *goingOn) command(args ...string) *exec.Cmd {
	cmd := exec.Command(g.built, append(append([]string{"run"}, args...), g.file)...)
	cmd.Dir, cmd.Stderr = g.dir, io.Discard // Wait waits for the agent too, which has it as well
	return cmd
}

// campaign is the directory of the newest campaign.
func (g *goingOn) campaign(b *testing.B) string {
	dir, err := filepath.EvalSymlinks(filepath.Join(g.dir, defaultBase, "large", "latest"))
	if err != nil {
		b.Fatal(err)
	}
	return dir
}

// firstRun goes on until a new START is in the journal, and takes that back: the
// campaign is the same again.
func (g *goingOn) firstRun(b *testing.B) (w passage) {
	segments := filepath.Join(g.campaign(b), journal.Dir, "*")
	before, err := filepath.Glob(segments)
	if err != nil {
		b.Fatal(err)
	}
	cmd := g.command()
	start := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	for text := ""; !strings.Contains(text, `"event":"START"`); text = newText(b, segments, before) {
		time.Sleep(time.Millisecond)
		w = passage{time.Since(start), residentSet(cmd.Process.Pid)}
	}
	if err := cmd.Process.Kill(); err != nil {
		b.Fatal(err)
	}
	_ = cmd.Wait() // it was killed
	for _, name := range newFiles(b, segments, before) {
		if err := os.Remove(name); err != nil {
			b.Fatal(err)
		}
	}
	return w
}

// newFiles lists the files of a pattern that were not there before.
func newFiles(b *testing.B, pattern string, before []string) (added []string) {
	names, err := filepath.Glob(pattern)
	if err != nil {
		b.Fatal(err)
	}
	for _, name := range names {
		if !slices.Contains(before, name) {
			added = append(added, name)
		}
	}
	return added
}

func newText(b *testing.B, pattern string, before []string) string {
	var all []byte
	for _, name := range newFiles(b, pattern, before) {
		text, err := os.ReadFile(name)
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, text...)
	}
	return string(all)
}

// residentSet returns the largest resident set of a process so far, in KiB.
func residentSet(pid int) (kib int64) {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid)) // it may have ended
	_, after, _ := strings.Cut(string(status), "VmHWM:")
	_, _ = fmt.Sscan(after, &kib)
	return kib
}

// whole goes on up to some run of the design, to the end. Its memory is looked for
// while it runs: what the system counts of an ended process may be its parent's.
func (g *goingOn) whole(b *testing.B, limit int64) (w passage) {
	b.Helper()
	cmd := g.command("--limit", fmt.Sprint(limit))
	start := time.Now()
	if err := cmd.Start(); err != nil {
		b.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	for {
		select {
		case err := <-ended:
			if err != nil {
				b.Fatal(err)
			}
			w.took = time.Since(start)
			return w
		case <-time.After(5 * time.Millisecond):
			w.memory = max(w.memory, residentSet(cmd.Process.Pid))
		}
	}
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
	next.Store(alone)
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
