package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mpf/engine/enginetest"
)

const waiting = `
experiment("waiting", replicates = 2, sample = False)
client = role("client")
def step(ctx):
    ctx.run("sh", "-c", "echo $$; while [ -e %s ]; do sleep 0.05; done")
client.step(step)
`

// A second engine is told who holds the campaign. Once that one is dead, however
// it died, the same command goes on without a word from anybody.
func TestSecondEngineWaitsForNobody(t *testing.T) {
	dir := t.TempDir()
	gate := filepath.Join(dir, "gate")
	writeFile(t, gate, "")
	writeFile(t, filepath.Join(dir, "waiting.star"), fmt.Sprintf(waiting, gate))
	out := filepath.Join(dir, "out")
	first := mpf(t.Context(), dir, "run", "-v", "-o", out, "waiting.star")
	talk, err := first.StderrPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Start(); err != nil {
		t.Fatal(err)
	}
	seen := make([]byte, 1)
	for text := ""; !strings.Contains(text, "in "+out); text += string(seen) { // it has the lock
		if _, err := io.ReadFull(talk, seen); err != nil {
			t.Fatalf("%v: %s", err, text)
		}
	}
	text, err := mpf(t.Context(), dir, "run", "-o", out, "waiting.star").CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitRefused || !bytes.Contains(text, fmt.Appendf(nil, "process %d on ", first.Process.Pid)) {
		t.Errorf("the second engine: %v\n%s", err, text)
	}
	if err := first.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = first.Wait() // killed
	if err := os.Remove(gate); err != nil {
		t.Fatal(err)
	}
	if text, err := mpf(t.Context(), dir, "run", "-o", out, "waiting.star").CombinedOutput(); err != nil {
		t.Errorf("after the first was killed: %v\n%s", err, text)
	}
	if ends := endsInRecord(t, out); len(ends) != 2 {
		t.Errorf("%d runs are ok, want 2", len(ends))
	}
}

// Where no file may grow beyond a size, what is acknowledged is kept, and with
// more room the same command goes on.
func TestFilesThatMayNotGrowEndTheCampaignContinuably(t *testing.T) {
	enginetest.Need(t, "prlimit")
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "noop.star"), fmt.Sprintf(noop, 600))
	out := filepath.Join(dir, "out")
	command := mpf(t.Context(), dir, "run", "--shared-host", "--durability", "os", "-o", out, "noop.star")
	limited := exec.CommandContext(t.Context(), "prlimit", "--fsize=1048576", filepath.Join(dir, "mpf"))
	if err := os.Symlink(os.Args[0], filepath.Join(dir, "mpf")); err != nil {
		t.Fatal(err)
	}
	limited.Args = append(limited.Args, command.Args[1:]...)
	limited.Dir, limited.Env = command.Dir, command.Env
	text, err := limited.CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != exitStorage || !bytes.Contains(text, []byte("file too large")) {
		t.Fatalf("%v, want exit code %d\n%s", err, exitStorage, text)
	}
	if _, err := os.Stat(filepath.Join(out, "failure.json")); err != nil {
		t.Error(err)
	}
	before := endsInRecord(t, out)
	if text, err := command.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	after := endsInRecord(t, out)
	if len(before) == 0 || len(after) != 2400 {
		t.Errorf("%d runs before, %d after, want 2400", len(before), len(after))
	}
	for run := range before {
		if after[run] != 1 {
			t.Errorf("run %s was acknowledged and has %d ends", run, after[run])
		}
	}
}
