package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"mpf/engine/enginetest"
)

var sweep = flag.Bool("sweep", false, "inject faults of system calls at every place, not at a few")

// An injection makes strace spoil system calls of mpf and of what it starts.
type injection struct {
	fault   string // in the words of strace, %d stands for the place
	journal bool   // only calls about the journal
	exit    int    // of mpf, or -1 where it is killed
	at      int
	until   int // places to sweep
}

// strace counts calls by thread: the place is the first at which some thread
// has made so many.
var injections = map[string]injection{
	"killed at a write":          {fault: "write:signal=SIGKILL:when=%d", journal: true, exit: -1, at: 5, until: 12},
	"a sync of a record fails":   {fault: "fdatasync,fsync:error=EIO:when=%d", journal: true, exit: exitStorage, at: 3, until: 12},
	"a sync of any file fails":   {fault: "fdatasync,fsync:error=EIO:when=%d", exit: exitStorage, at: 3, until: 24},
	"the disk is full from then": {fault: "write:error=ENOSPC:when=%d+", journal: true, exit: exitStorage, at: 4, until: 12},
}

// Whatever the system makes of a call, mpf says so by its exit code and in
// failure.json, no run is lost or doubled, and the same command goes on.
func TestFaultsOfSystemCallsLoseAndDoubleNothing(t *testing.T) {
	enginetest.Need(t, "strace")
	for name, in := range injections {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			first, last := in.at, in.at
			if *sweep {
				first, last = 1, in.until
			}
			for at := first; at <= last; at++ {
				in.check(t, at)
			}
		})
	}
}

func (in injection) check(t *testing.T, at int) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "noop.star"), fmt.Sprintf(noop, 10))
	run := []string{"run", "--shared-host", "-o", filepath.Join(dir, "out"), "noop.star"}
	if !in.spoil(t, dir, at, run) {
		if !*sweep {
			t.Errorf("no thread made %d calls", at)
		}
		return
	}
	out := filepath.Join(dir, "out")
	before := map[string]bool{}
	if _, err := os.Stat(filepath.Join(out, "journal")); err == nil {
		before = endsInLastSegment(t, out)
	}
	again := mpf(t.Context(), dir, run...)
	if text, err := again.CombinedOutput(); err != nil {
		t.Fatalf("place %d: the same command does not go on: %v\n%s", at, err, text)
	}
	ends := endsInRecord(t, out)
	if len(ends) != 40 {
		t.Errorf("place %d: %d runs are ok, want 40", at, len(ends))
	}
	for run, n := range ends {
		if n != 1 {
			t.Errorf("place %d: run %s has %d ends that are ok", at, run, n)
		}
	}
	for run := range before {
		if ends[run] == 0 {
			t.Errorf("place %d: the end of run %s was written and is lost", at, run)
		}
	}
	if _, err := os.Stat(filepath.Join(out, "failure.json")); err == nil {
		t.Errorf("place %d: failure.json stays", at)
	}
	if text, err := mpf(t.Context(), dir, "verify", out).CombinedOutput(); err != nil {
		t.Errorf("place %d: %s", at, text)
	}
}

// spoil runs mpf under strace and reports whether a call was spoilt. How mpf
// ended must be what the fault asks for.
func (in injection) spoil(t *testing.T, dir string, at int, args []string) bool {
	program, trace := filepath.Join(dir, "mpf"), filepath.Join(dir, "trace")
	if err := os.Symlink(os.Args[0], program); err != nil {
		t.Fatal(err)
	}
	words := []string{"-f", "-o", trace, "-e", "inject=" + fmt.Sprintf(in.fault, at)}
	if in.journal {
		words = append(words, "-P", filepath.Join(dir, "out", "journal", "00000001.jsonl"))
	}
	cmd := exec.CommandContext(t.Context(), "strace", append(append(words, program), args...)...)
	cmd.Dir = dir
	cmd.Env = append(mpf(t.Context(), dir).Env, "GOMAXPROCS=1") // fewer threads share the calls
	talk, err := cmd.CombinedOutput()
	seen, readErr := os.ReadFile(trace)
	if readErr != nil {
		t.Fatal(readErr)
	}
	if !bytes.Contains(seen, []byte("INJECTED")) && !bytes.Contains(seen, []byte("killed by SIGKILL")) {
		return false
	}
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		t.Fatalf("place %d: %v\n%s", at, err, talk)
	}
	if in.exit < 0 {
		if status, ok := exit.Sys().(syscall.WaitStatus); !ok || !status.Signaled() {
			t.Errorf("place %d: %v, want a death\n%s", at, err, talk)
		}
		return true
	}
	if exit.ExitCode() != in.exit {
		t.Errorf("place %d: %v, want exit code %d\n%s", at, err, in.exit, talk)
	}
	if in.journal || bytes.Count(seen, []byte("INJECTED")) == 1 { // else the word itself was spoilt
		in.wantWord(t, dir, at)
	}
	return true
}

// wantWord wants what mpf left for whoever looks at the directory.
func (in injection) wantWord(t *testing.T, dir string, at int) {
	text, err := os.ReadFile(filepath.Join(dir, "out", "failure.json"))
	if err != nil {
		t.Errorf("place %d: %v", at, err)
		return
	}
	var failure struct{ Error string }
	if err := json.Unmarshal(text, &failure); err != nil || !strings.Contains(failure.Error, "storage") {
		t.Errorf("place %d: failure.json says %s", at, text)
	}
}
