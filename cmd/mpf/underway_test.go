package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mpf/results/campaign"
)

// A campaign underway is executed by an mpf of its own, which may be hit, and is
// continued by the same command.
type underway struct {
	*testing.T
	dir, out string
	file     string // of the experiment
	flags    []string
	command  *exec.Cmd // of mpf while it runs, or nil
	ended    chan error
	talk     talk // of all invocations
}

// A talk is what is said while it is read.
type talk struct {
	lock sync.Mutex
	text strings.Builder
}

func (t *talk) Write(p []byte) (int, error) {
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.text.Write(p)
}

func (t *talk) String() string {
	t.lock.Lock()
	defer t.lock.Unlock()
	return t.text.String()
}

// newUnderway makes a folder with a campaign's place in it. A cluster file
// there, cluster.yaml, is taken.
func newUnderway(t *testing.T, file string) *underway {
	dir := t.TempDir()
	u := &underway{T: t, dir: dir, out: filepath.Join(dir, "out"), file: file}
	t.Cleanup(u.stop)
	return u
}

// mpf is a command of mpf whose agents are made once for all tests.
func (u *underway) mpf(args ...string) *exec.Cmd {
	u.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		u.Fatal(err)
	}
	cmd := mpf(u.Context(), u.dir, args...)
	cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+cache)
	return cmd
}

// hold makes the runs of the second replicate and later ones wait until they are
// released, so that the campaign is sure to be under way till then.
func (u *underway) hold() (release func()) {
	u.Helper()
	file, gate := filepath.Join(u.dir, u.file), filepath.Join(u.dir, "gate")
	text, err := os.ReadFile(file)
	if err != nil {
		u.Fatal(err)
	}
	wait := fmt.Sprintf("    ctx.sh('while test $replicate -gt 1 && test -e \"$gate\"; do sleep 0.02; done', replicate = ctx.replicate, gate = %q)\n", gate)
	writeFile(u.T, file, strings.Replace(string(text), "    return", wait+"    return", 1))
	writeFile(u.T, gate, "")
	return func() {
		if err := os.Remove(gate); err != nil {
			u.Fatal(err)
		}
	}
}

// start makes sure that mpf runs; it is always the same command.
func (u *underway) start() {
	u.Helper()
	if u.command == nil {
		u.launch(append(append([]string{"run", "-o", u.out}, u.flags...), u.file)...)
	}
}

func (u *underway) launch(args ...string) {
	u.Helper()
	u.command = u.mpf(args...)
	u.command.Stderr = &u.talk
	if err := u.command.Start(); err != nil {
		u.Fatal(err)
	}
	u.ended = make(chan error, 1)
	go func(c *exec.Cmd) { u.ended <- c.Wait() }(u.command)
}

// stop ends an mpf that still runs when the test fails.
func (u *underway) stop() {
	if u.command != nil {
		_ = u.command.Process.Kill() // it may have ended
		<-u.ended
		u.command = nil
	}
}

func (u *underway) signal(s syscall.Signal) {
	if err := u.command.Process.Signal(s); err != nil {
		u.Fatal(err)
	}
}

// patience bounds what must happen some time.
const patience = 2 * time.Minute

// exit waits for the end of mpf and returns its code.
func (u *underway) exit(what string) int {
	u.Helper()
	return u.exitWithin(patience, what)
}

func (u *underway) exitWithin(limit time.Duration, what string) int {
	u.Helper()
	select {
	case <-u.ended:
	case <-time.After(limit):
		u.Fatalf("%s: mpf does not end\n%s", what, &u.talk)
	}
	code := u.command.ProcessState.ExitCode()
	u.command = nil
	return code
}

// finish continues the campaign until every run is ok.
func (u *underway) finish() {
	u.Helper()
	for range 5 {
		u.start()
		if u.exitWithin(10*patience, "the end") == exitOK {
			return
		}
	}
	u.Fatalf("the campaign does not end\n%s", &u.talk)
}

// A pulse is how far the journal got.
type pulse struct{ starts, open, ok int }

// pulse reads the complete lines of all segments, without any code of the
// journal.
func (u *underway) pulse() pulse {
	segments, err := filepath.Glob(filepath.Join(u.out, "journal", "*.jsonl"))
	if err != nil {
		u.Fatal(err)
	}
	var p pulse
	for _, name := range segments {
		text, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue // it is just being recovered
		}
		if err != nil {
			u.Fatal(err)
		}
		p.ok += bytes.Count(text, []byte(`"done":{"status":"ok"`))
		starts := bytes.Count(text, []byte(`{"event":"START"`))
		p.starts += starts
		p.open += starts - bytes.Count(text, []byte(`{"event":"DONE"`))
	}
	return p
}

func (u *underway) awaitProgress(what string, enough func(pulse) bool) {
	u.Helper()
	for end := time.Now().Add(patience); !enough(u.pulse()); time.Sleep(5 * time.Millisecond) {
		select {
		case err := <-u.ended:
			u.command = nil
			u.Fatalf("%s: mpf ended meanwhile: %v\n%s", what, err, &u.talk)
		default:
		}
		if time.Now().After(end) {
			u.Fatalf("%s: the campaign does not go on\n%s", what, &u.talk)
		}
	}
}

func (u *underway) read() *campaign.Campaign {
	u.Helper()
	c, err := campaign.Read(u.out)
	if err != nil {
		u.Fatal(err)
	}
	u.Cleanup(func() { c.Close() })
	return c
}
