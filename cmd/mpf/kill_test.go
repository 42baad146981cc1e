package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
	"time"

	"mpf/engine"
	"mpf/results/campaign"
)

// killRounds is how often mpf is killed in the middle of one campaign.
const killRounds = 200

const noop = `
experiment("noop", replicates = 4, sample = False)
variable("n", range(%d))
client = role("client")
def step(ctx, n):
    return {"m": n}
client.step(step)
`

// mpf starts this test binary as the command mpf.
func mpf(ctx context.Context, dir string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, os.Args[0])
	cmd.Args = append([]string{"mpf"}, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "HOME="+dir, "MPF_HOST_LOCK="+filepath.Join(dir, "host.lock"))
	return cmd
}

// A campaign that is killed again and again loses no run whose end was written
// and has no run twice.
func TestKilledAtAnyInstantNothingIsLostOrDoubled(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "noop.star"), fmt.Sprintf(noop, 1000))
	out := filepath.Join(dir, "out")
	written := map[string]bool{}
	random := rand.New(rand.NewPCG(1, 2))
	for range killRounds {
		killAfter(t, mpf(t.Context(), dir, "run", "--shared-host", "-o", out, "noop.star"), time.Duration(random.Int64N(int64(200*time.Millisecond))))
		for run := range endsInLastSegment(t, out) {
			written[run] = true
		}
	}
	if text, err := mpf(t.Context(), dir, "run", "--shared-host", "-o", out, "noop.star").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	ok, ends := 0, endsInRecord(t, out)
	for run := range written {
		if ends[run] == 0 {
			t.Errorf("the end of run %s was written before a kill and is lost", run)
		}
	}
	for run, n := range ends {
		if n > 1 {
			t.Errorf("run %s has %d ends that are ok", run, n)
		}
		ok += n
	}
	if ok != 4000 {
		t.Errorf("%d runs are ok, want 4000", ok)
	}
}

// killAfter kills mpf after a while, if it has not ended well before.
func killAfter(t *testing.T, cmd *exec.Cmd, while time.Duration) {
	t.Helper()
	var talk bytes.Buffer
	cmd.Stderr = &talk
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	select {
	case err := <-done:
		if err != nil {
			t.Fatalf("mpf ended by itself: %v\n%s", err, talk.Bytes())
		}
	case <-time.After(while):
		_ = cmd.Process.Kill() // it may just have ended
		if err := <-done; err != nil && cmd.ProcessState.Exited() {
			t.Fatalf("mpf ended by itself: %v\n%s", err, talk.Bytes())
		}
	}
}

func writeFile(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// endsInLastSegment reads the ok ends from the complete lines of the journal's
// last segment, without any code of the journal.
func endsInLastSegment(t *testing.T, out string) map[string]bool {
	t.Helper()
	ends := map[string]bool{}
	segments, err := filepath.Glob(filepath.Join(out, "journal", "*.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	if len(segments) == 0 {
		return ends // killed before the campaign had begun
	}
	text, err := os.ReadFile(segments[len(segments)-1])
	if err != nil {
		t.Fatal(err)
	}
	for line := range bytes.Lines(text) {
		var frame struct {
			E []struct {
				Event, Run string
				Done       struct{ Status engine.Status }
			}
		}
		if !bytes.HasSuffix(line, []byte("\n")) || json.Unmarshal(line, &frame) != nil {
			continue
		}
		for _, e := range frame.E {
			if e.Event == "DONE" && e.Done.Status == engine.OK {
				ends[e.Run] = true
			}
		}
	}
	return ends
}

// endsInRecord counts the ok ends of every run as mpf reads them.
func endsInRecord(t *testing.T, out string) map[string]int {
	t.Helper()
	ends := map[string]int{}
	c, err := campaign.Read(out)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for a, err := range c.Attempts() {
		if err != nil {
			t.Fatal(err)
		}
		if a.Done.Status == engine.OK {
			ends[a.Start.Run.ID.String()]++
		}
	}
	return ends
}
