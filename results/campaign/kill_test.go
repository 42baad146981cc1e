package campaign

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"strings"
	"sync"
	"testing"
	"time"

	"mpf/engine"
	"mpf/results/record"
)

// victimVariable makes this test's binary the engine that is killed: it holds
// the directory.
const victimVariable = "MPF_TEST_VICTIM"

func TestMain(m *testing.M) {
	if dir := os.Getenv(victimVariable); dir != "" {
		fmt.Println("error", victim(dir))
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// victimPlan has more runs than a victim ever does.
func victimPlan() record.Plan { return testPlan(3_000, 1) }

// victim does runs as fast as it can, some at once, and says which are done.
func victim(dir string) error {
	plan := victimPlan()
	c, err := Open(dir, testConfig())
	if err != nil {
		return err
	}
	for _, s := range c.Unfinished() {
		if err := c.Abandon(ctx, s); err != nil {
			return err
		}
	}
	todo := make(chan engine.Run)
	failed := make(chan error, 4)
	var workers sync.WaitGroup
	var out sync.Mutex
	for range 4 {
		workers.Go(func() {
			for run := range todo {
				if err := execute(c, run); err != nil {
					failed <- err
					return
				}
				out.Lock()
				fmt.Println("done", run.ID)
				out.Unlock()
			}
		})
	}
	for _, run := range runsOf(plan) {
		if c.State(run.ID).Status != engine.OK {
			select {
			case todo <- run:
			case err := <-failed:
				return err
			}
		}
	}
	return nil
}

// TestKilledAtAnyInstant kills an engine again and again while it records runs.
// What it said was done is there each time; no run is there twice.
func TestKilledAtAnyInstant(t *testing.T) {
	dir := t.TempDir()
	plan := victimPlan()
	c, err := Create(dir, plan, nil, testConfig())
	must(t, err)
	must(t, c.Close())
	done := map[string]bool{}
	const rounds = 20
	for range rounds {
		for _, run := range killOne(t, dir) {
			done[run] = true
		}
		checkDone(t, dir, done)
	}
	t.Logf("%d runs acknowledged in %d lives", len(done), rounds)
}

// killOne lets a victim live for a moment and returns the runs that it said
// were done.
func killOne(t *testing.T, dir string) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), victimVariable+"="+dir)
	out, err := cmd.StdoutPipe()
	must(t, err)
	must(t, cmd.Start())
	lines := bufio.NewScanner(out)
	var done []string
	for lines.Scan() {
		text := lines.Text()
		run, ok := strings.CutPrefix(text, "done ")
		if !ok {
			t.Fatal(text)
		}
		if len(done) == 0 { // it lives: the instant of its death is drawn
			time.AfterFunc(time.Duration(rand.Int64N(int64(50*time.Millisecond))), func() { _ = cmd.Process.Kill() })
		}
		done = append(done, run)
	}
	_ = cmd.Wait() // killed
	return done
}

func checkDone(t *testing.T, dir string, done map[string]bool) {
	t.Helper()
	c, err := Read(dir)
	must(t, err)
	defer c.Close()
	rows := map[string]bool{}
	for a, err := range c.Attempts() {
		must(t, err)
		if a.Done.Status != engine.OK {
			continue
		}
		if rows[a.Start.Run.ID.String()] {
			t.Fatalf("run %s has two rows", a.Start.Run.ID)
		}
		rows[a.Start.Run.ID.String()] = true
		checkFiles(t, c, a)
	}
	for run := range done {
		if !rows[run] {
			t.Fatalf("run %s was acknowledged and is lost", run)
		}
	}
}
