package main

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mpf/results/readertest"
	"mpf/results/tables"
)

const steady = `
experiment("steady", replicates = 6, sample = False)
variable("n", range(20))
client = role("client")
def step(ctx, n):
    ctx.run("sleep", 0.08)
    return {"double": 2 * n}
client.step(step)
`

// DuckDB and Polars read the table of a campaign from its first run to its last,
// as it grows. The test prints what they saw.
func TestOtherProgramsReadACampaignThatIsRunning(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "steady.star"), steady)
	table := filepath.Join(dir, "out", tables.RunsFile)
	running := mpf(t.Context(), dir, "run", "--shared-host", "-o", "out", "steady.star")
	var talk bytes.Buffer
	running.Stderr = &talk
	if err := running.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- running.Wait() }()
	for _, err := os.Stat(table); err != nil; _, err = os.Stat(table) {
		select {
		case err := <-ended:
			t.Fatalf("mpf ended without a table: %v\n%s", err, talk.Bytes())
		case <-time.After(10 * time.Millisecond):
		}
	}
	looks := map[string]func() string{}
	for _, reader := range []string{"duckdb", "polars"} {
		looks[reader] = look(t, reader, table)
	}
	if err := <-ended; err != nil {
		t.Fatalf("%v\n%s", err, talk.Bytes())
	}
	for reader, saw := range looks {
		text := saw()
		t.Logf("%s", text)
		lines := strings.Split(strings.TrimSpace(text), "\n")
		if first, last := lines[0], lines[len(lines)-1]; first == last || !strings.HasSuffix(last, ": 120 rows, 120 runs, 120 ok") {
			t.Errorf("%s saw first %q, at last %q", reader, first, last)
		}
	}
}

// look starts a reader that looks at a table again and again. What is returned
// lets it look once more at the table as it then is, and returns each sight that
// differed from the one before.
func look(t *testing.T, reader, table string) func() string {
	t.Helper()
	cmd := readertest.Node(t, "follow.mjs", reader, table, "200")
	stdin, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	var talk bytes.Buffer
	cmd.Stderr = &talk
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan []byte, 1)
	go func() {
		text, _ := io.ReadAll(stdout) // how the program ended says more
		lines <- text
	}()
	return func() string {
		stdin.Close()
		text := <-lines
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v\n%s", reader, err, talk.Bytes())
		}
		var sights []string
		for line := range strings.Lines(string(text)) {
			if len(sights) == 0 || sights[len(sights)-1] != line {
				sights = append(sights, line)
			}
		}
		return strings.Join(sights, "")
	}
}
