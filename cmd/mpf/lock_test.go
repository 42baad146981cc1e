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
