package remotetest

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"math"
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"mpf/engine"
)

func (c *contract) files() {
	w := c.open()
	from := filepath.Join(c.TempDir(), "tree")
	large := bytes.Repeat([]byte("mpf"), 1<<20)
	c.write(filepath.Join(from, "a.txt"), []byte("a"), 0o644)
	c.write(filepath.Join(from, "sub/large"), large, 0o600)
	c.write(filepath.Join(from, "sub/run"), []byte("#!/bin/sh\necho ran\n"), 0o755)
	c.write(filepath.Join(from, "empty"), nil, 0o644)
	c.must(os.Symlink("sub/run", filepath.Join(from, "link")))
	c.must(w.Put(c.ctx, from, "there/tree"))
	c.expect("a program that was put", string(c.command(engine.Command{Argv: []string{"there/tree/link"}}).Stdout.Data), "ran\n")

	back := filepath.Join(c.TempDir(), "back")
	c.must(w.Get(c.ctx, "there/tree", back))
	got, err := os.ReadFile(filepath.Join(back, "sub/large"))
	if err != nil || !bytes.Equal(got, large) {
		c.Errorf("a large file became %d bytes, %v", len(got), err)
	}
	info, err := os.Stat(filepath.Join(back, "sub/run"))
	c.must(err)
	c.expect("mode", info.Mode().Perm(), os.FileMode(0o755))

	// What means nothing elsewhere stays where it is.
	c.sh("mkdir odd; echo a >odd/a; ln -s /etc odd/abs; ln -s ../../x odd/out; mkfifo odd/fifo; chmod 755 odd odd/a")
	c.must(w.Get(c.ctx, "odd", filepath.Join(back, "odd")))
	left, err := os.ReadDir(filepath.Join(back, "odd"))
	if err != nil || len(left) != 1 || left[0].Name() != "a" {
		c.Errorf("a folder with links and a fifo became %v, %v", left, err)
	}

	// What is equal is left alone.
	before, err := os.Stat(filepath.Join(w.Dir(), "there/tree/sub/large"))
	c.must(err)
	c.write(filepath.Join(from, "a.txt"), []byte("b"), 0o644)
	c.must(w.Put(c.ctx, from, "there/tree"))
	after, err := os.Stat(filepath.Join(w.Dir(), "there/tree/sub/large"))
	c.must(err)
	c.expect("an equal file was left alone", os.SameFile(before, after), true)
	content, err := w.ReadFile(c.ctx, "there/tree/a.txt", 10)
	c.must(err)
	c.expect("a changed file", string(content), "b")

	c.must(w.WriteFile(c.ctx, "script", []byte("#!/bin/sh\nexit 7\n"), 0o700))
	c.expect("a written program", c.command(engine.Command{Argv: []string{"./script"}}).Code, 7)
	content, err = w.ReadFile(c.ctx, "/proc/self/status", 1<<20)
	if err != nil || !strings.HasPrefix(string(content), "Name:") {
		c.Errorf("a file without a size: %q, %v", content, err)
	}
}

func (c *contract) refusedFiles() {
	w := c.open()
	c.sh("mkdir d; mkfifo fifo; head -c 100 /dev/zero >hundred")
	for what, err := range map[string]error{
		"a file that is not there": w.Get(c.ctx, "missing", filepath.Join(c.TempDir(), "x")),
		"a fifo":                   w.Get(c.ctx, "fifo", filepath.Join(c.TempDir(), "x")),
		"a local file that is not": w.Put(c.ctx, filepath.Join(c.TempDir(), "missing"), "x"),
		"a folder in place":        w.WriteFile(c.ctx, "d", []byte("x"), 0o600),
	} {
		c.artifactFailure(what, err)
	}
	for want, err := range map[string]error{
		"on the controller":                              w.Put(c.ctx, filepath.Join(c.TempDir(), "missing"), "x"),
		`there is a folder "d" in the place of a file`:   w.WriteFile(c.ctx, "d", []byte("x"), 0o600),
		`there is a file "hundred" in the place of a fo`: w.Put(c.ctx, c.TempDir(), "hundred"),
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			c.Errorf("got %v, want %q", err, want)
		}
	}
	_, err := w.ReadFile(c.ctx, "hundred", 99)
	c.artifactFailure("a file over the limit", err)
	_, err = w.ReadFile(c.ctx, "missing", 99)
	c.artifactFailure("a file that is not there", err)
	if !errors.Is(err, fs.ErrNotExist) {
		c.Errorf("a file that is not there: %v is not fs.ErrNotExist", err)
	}
	c.expect("code afterwards", c.sh("exit 0").Code, 0)
}

func (c *contract) artifactFailure(what string, err error) {
	c.Helper()
	var failure *engine.Failure
	if !errors.As(err, &failure) || failure.Cause != engine.CauseArtifact {
		c.Errorf("%s: got %v, want a failure to have it", what, err)
	}
}

func (c *contract) write(path string, content []byte, mode os.FileMode) {
	c.Helper()
	c.must(os.MkdirAll(filepath.Dir(path), 0o755))
	c.must(os.WriteFile(path, content, mode))
}

func (c *contract) must(err error) {
	c.Helper()
	if err != nil {
		c.Fatal(err)
	}
}

func (c *contract) start() {
	w := c.open()
	p, err := w.Start(c.ctx, engine.Command{Argv: []string{"sh", "-c", "echo now ready; exec sleep 1000"}}, engine.Ready{Pattern: "^now r"})
	c.must(err)
	text, err := p.Stdout(c.ctx)
	c.must(err)
	c.expect("stdout so far", string(text), "now ready\n")
	out, err := p.Stop(c.ctx)
	c.must(err)
	c.expect("stopped", out.Stopped, true)
	c.expect("signal", out.Signal, "SIGTERM")

	p, err = w.Start(c.ctx, engine.Command{Argv: []string{"sh", "-c", "touch made; sleep 0.05; echo end"}}, engine.Ready{File: "made"})
	c.must(err)
	out, err = p.Wait(c.ctx)
	c.must(err)
	c.expect("stdout", string(out.Stdout.Data), "end\n")
	c.expect("stopped", out.Stopped, false)
	again, err := p.Wait(c.ctx)
	c.must(err)
	c.expect("stdout when asked again", string(again.Stdout.Data), "end\n")
}

func (c *contract) startNotReady() {
	w := c.open()
	for _, ready := range []engine.Ready{{Pattern: "never"}, {File: "never"}, {Port: 1}} {
		_, err := w.Start(c.ctx, engine.Command{Argv: []string{"sh", "-c", "echo broken >&2; exit 9"}}, ready)
		var failure *engine.Failure
		if !errors.As(err, &failure) || failure.Status != engine.Failed || !strings.Contains(err.Error(), "exit status 9") || !strings.Contains(err.Error(), "broken") {
			c.Errorf("one that ends: %v", err)
		}
		ready.Timeout = 50 * time.Millisecond
		_, err = w.Start(c.ctx, engine.Command{Argv: []string{"sleep", "1000"}}, ready)
		if !errors.As(err, &failure) || failure.Status != engine.TimedOut {
			c.Errorf("one that never is ready: %v", err)
		}
	}
	// What was left before does not make a program ready.
	c.sh("echo >stale")
	_, err := w.Start(c.ctx, engine.Command{Argv: []string{"sleep", "1000"}}, engine.Ready{File: "stale", Timeout: 50 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), `the file "stale" is there since before`) {
		c.Errorf("a file that was there: %v", err)
	}
	anew := engine.Command{Argv: []string{"sh", "-c", "sleep 0.05; touch first; echo >stale; exec sleep 1000"}}
	p, err := w.Start(c.ctx, anew, engine.Ready{File: "stale"})
	c.must(err)
	c.expect("code of a look for what came before", c.sh("test -e first").Code, 0)
	_, err = p.Stop(c.ctx)
	c.must(err)
	_, err = w.Start(c.ctx, engine.Command{Argv: []string{"sleep", "1000"}}, engine.Ready{Pattern: "("})
	if err == nil {
		c.Error("a pattern that is none was taken")
	}
	c.nothingRuns()
}

// waitPort waits for a listener on the host; the suite's own is one where host
// and test share a network.
func (c *contract) waitPort() {
	w := c.open()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	c.must(err)
	port := listener.Addr().(*net.TCPAddr).Port
	ctx, cancel := context.WithTimeout(c.ctx, 2*time.Second)
	defer cancel()
	if err := w.WaitPort(ctx, port); errors.Is(err, context.DeadlineExceeded) {
		return // the host has a network of its own
	} else if err != nil {
		c.Fatal(err)
	}
	// Who listened before does not make a program ready.
	_, err = w.Start(c.ctx, engine.Command{Argv: []string{"sleep", "1000"}}, engine.Ready{Port: port, Timeout: 50 * time.Millisecond})
	if err == nil || !strings.Contains(err.Error(), "another program listens on port") {
		c.Errorf("a port that was taken: %v", err)
	}
	c.must(listener.Close())
	ctx, cancel = context.WithTimeout(c.ctx, 20*time.Millisecond)
	defer cancel()
	if err := w.WaitPort(ctx, port); !errors.Is(err, context.DeadlineExceeded) {
		c.Errorf("a port that was closed: %v", err)
	}
}

func (c *contract) sampling() {
	readings := &Readings{}
	c.attempt.Readings = readings
	c.attempt.Sampling = engine.Sampling{Period: 20 * time.Millisecond, Processes: true, Pressure: true, Mounts: []string{"/tmp"}}
	c.open()
	c.sh("i=0; while [ $i -lt 100000 ]; do i=$((i+1)); done")
	closing := c.close()
	all := readings.All()
	if len(all) < 3 || closing.Readings != len(all) {
		c.Fatalf("%d readings came, %d were taken", len(all), closing.Readings)
	}
	if closing.SamplerCPU <= 0 || closing.SampleSize <= 0 {
		c.Errorf("closing %+v", closing)
	}
	first, last := all[0], all[len(all)-1]
	// Two readings between which the kernel counted nothing say nothing of load.
	told := slices.ContainsFunc(all[1:], func(r engine.Reading) bool { return !math.IsNaN(r.CPUMean) })
	if !math.IsNaN(first.CPUMean) || !told {
		c.Errorf("busy %v in the first reading, told in a later one: %v", first.CPUMean, told)
	}
	if last.CPUs < 1 || last.MemTotal <= 0 || last.MemAvailable <= 0 || last.CPUUser+last.CPUSystem < first.CPUUser+first.CPUSystem {
		c.Errorf("last reading %+v", last)
	}
	if _, ok := last.Extra["mount./tmp.percent"]; !ok {
		c.Errorf("extra values %v", last.Extra)
	}
	for i := 1; i < len(all); i++ {
		if all[i].Mono <= all[i-1].Mono {
			c.Errorf("reading %d is older than the one before", i)
		}
	}
}
