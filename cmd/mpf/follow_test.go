package main

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mpf/results/readertest"
	"mpf/results/tables"
)

// steady is a campaign whose last replicate begins once the folder has a file go.
const steady = `
experiment("steady", replicates = 6, sample = False)
variable("n", range(20))
client = role("client")
at = flag("at", "")
def step(ctx, n):
    ctx.run("sleep", 0.08)
    ctx.sh('until test $replicate -lt 6 -o -e "$at/go"; do sleep 0.02; done', replicate = ctx.replicate, at = at)
    return {"double": 2 * n}
client.step(step)
`

// DuckDB and Polars read the table of a campaign from its first run to its last,
// as it grows. The test prints what they saw.
func TestOtherProgramsReadACampaignThatIsRunning(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "steady.star"), steady)
	table := filepath.Join(dir, "out", tables.RunsFile)
	running := mpf(t.Context(), dir, "run", "--shared-host", "--flag", "at="+dir, "-o", "out", "steady.star")
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
	looks := map[string]*looking{}
	for _, reader := range []string{"duckdb", "polars"} {
		looks[reader] = look(t, reader, table)
	}
	for _, l := range looks {
		<-l.begun
	}
	writeFile(t, filepath.Join(dir, "go"), "")
	if err := <-ended; err != nil {
		t.Fatalf("%v\n%s", err, talk.Bytes())
	}
	for reader, l := range looks {
		text := l.end()
		t.Logf("%s", text)
		lines := strings.Split(strings.TrimSpace(text), "\n")
		if first, last := lines[0], lines[len(lines)-1]; first == last || !strings.HasSuffix(last, ": 120 rows, 120 runs, 120 ok") {
			t.Errorf("%s saw first %q, at last %q", reader, first, last)
		}
	}
}

// A looking is a reader that looks at a table again and again.
type looking struct {
	begun chan struct{} // closed at its first sight, or its end
	end   func() string // lets it look once more and returns each sight that differed from the one before
}

// look starts a reader of a table.
func look(t *testing.T, reader, table string) *looking {
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
	l := &looking{begun: make(chan struct{})}
	sights := make(chan []string, 1)
	go func() {
		var seen []string
		begin := sync.OnceFunc(func() { close(l.begun) })
		for lines := bufio.NewScanner(stdout); lines.Scan(); begin() { // how the program ended says more
			if line := lines.Text(); len(seen) == 0 || seen[len(seen)-1] != line {
				seen = append(seen, line)
			}
		}
		begin()
		sights <- seen
	}()
	l.end = func() string {
		stdin.Close()
		seen := <-sights
		if err := cmd.Wait(); err != nil {
			t.Errorf("%s: %v\n%s", reader, err, talk.Bytes())
		}
		return strings.Join(seen, "\n")
	}
	return l
}
