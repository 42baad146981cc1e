package remotetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"mpf/engine"
)

func (c *contract) info() {
	info := c.host.Info()
	if info.Name == "" || info.BootID == "" {
		c.Errorf("a host without name or boot: %+v", info)
	}
	if info.Clock.Bound <= 0 || info.Clock.Bound > time.Second {
		c.Errorf("clock offset with a bound of %s", info.Clock.Bound)
	}
	if info.Clock.Offset.Abs() > info.Clock.Bound+50*time.Millisecond {
		c.Errorf("this machine's clock is off by %s from itself", info.Clock.Offset)
	}
	if err := c.host.Reach(c.ctx); err != nil {
		c.Errorf("reach: %v", err)
	}
}

func (c *contract) run() {
	w := c.open()
	before := time.Now()
	out := c.sh("echo out; echo err >&2; exit 3")
	c.expect("code", out.Code, 3)
	c.expect("signal", out.Signal, "")
	c.expect("stdout", string(out.Stdout.Data), "out\n")
	c.expect("stderr", string(out.Stderr.Data), "err\n")
	c.expect("size", out.Stdout.Size, int64(4))
	if off := out.Started.Sub(before); off < -time.Second || off > 5*time.Second {
		c.Errorf("started %s after it was asked for", off)
	}
	c.expect("working folder", strings.TrimSpace(string(c.sh("pwd -P").Stdout.Data)), w.Dir())
	out = c.sh("kill -9 $$")
	c.expect("code of a signal", out.Code, -1)
	c.expect("signal", out.Signal, "SIGKILL")
	out = c.command(engine.Command{Argv: []string{"printf", "%s|", "a b", "$HOME", "*", "'"}})
	c.expect("words", string(out.Stdout.Data), "a b|$HOME|*|'|")
}

func (c *contract) runFails() {
	w := c.open()
	for _, command := range []engine.Command{
		{Argv: []string{"no-such-program-of-mpf"}},
		{Argv: []string{"/etc/passwd"}},
		{Argv: []string{"true"}, Dir: "no-such-folder"},
		{},
	} {
		_, err := w.Run(c.ctx, command)
		var failure *engine.Failure
		if !errors.As(err, &failure) || failure.Status != engine.Failed {
			c.Errorf("%.40q: got %v, want a failure of the attempt", command.Argv, err)
		}
	}
	_, err := w.Run(c.ctx, engine.Command{Argv: []string{"true", strings.Repeat("x", 2<<20)}})
	var long *engine.Failure
	if !errors.As(err, &long) || long.Status != engine.Failed || !strings.Contains(long.Message, "too long: 2097") {
		c.Errorf("a command of 2 MiB: got %v, want a failure of the attempt that says so", err)
	}
	c.expect("code afterwards", c.sh("exit 0").Code, 0)
}

func (c *contract) environment() {
	c.open()
	out := c.command(engine.Command{
		Argv: []string{"sh", "-c", `echo "$FIRST|$MPF_RUN|$HOME"`},
		Env:  []string{"FIRST=a b", "HOME=/nowhere"},
	})
	want := fmt.Sprintf("a b|%s/%d/%s|/nowhere\n", c.attempt.Run, c.attempt.Number, c.attempt.Nonce)
	c.expect("environment", string(out.Stdout.Data), want)
}

func (c *contract) stdin() {
	c.open()
	c.expect("no stdin", c.command(engine.Command{Argv: []string{"cat"}}).Stdout.Size, int64(0))
	for _, size := range []int{1, 60 << 10, 300 << 10, 3 << 20} {
		content := bytes.Repeat([]byte("0123456789abcdef"), size/16+1)
		out := c.command(engine.Command{Argv: []string{"cat"}, Stdin: content})
		if !bytes.Equal(out.Stdout.Data, content) {
			c.Errorf("%d bytes of stdin became %d", len(content), len(out.Stdout.Data))
		}
	}
	out := c.command(engine.Command{Argv: []string{"true"}, Stdin: bytes.Repeat([]byte("x"), 200<<10)})
	c.expect("stdin that nobody reads", out.Code, 0)
}

// output checks that what is printed beyond all bounds is counted and cut.
func (c *contract) output() {
	c.open()
	out := c.sh("head -c 3000000 /dev/zero; head -c 2000000 /dev/zero >&2")
	c.expect("stdout", len(out.Stdout.Data), 3000000)
	c.expect("stderr", len(out.Stderr.Data), 2000000)
	out = c.sh("head -c 100000000 /dev/zero")
	c.expect("signal", out.Signal, "")
	c.expect("size", out.Stdout.Size, int64(100000000))
	c.expect("truncated", out.Stdout.Truncated, true)
	if kept := len(out.Stdout.Data); kept < 1<<20 || kept > 64<<20 {
		c.Errorf("%d bytes were kept", kept)
	}
}

func (c *contract) timeout() {
	c.open()
	out := c.command(engine.Command{Argv: []string{"sleep", "1000"}, Timeout: 50 * time.Millisecond})
	c.expect("timed out", out.TimedOut, true)
	c.expect("signal", out.Signal, "SIGTERM")
	out = c.command(engine.Command{
		Argv:    []string{"sh", "-c", "trap '' TERM; sleep 1000 & setsid sleep 1000 & while :; do sleep 1000; done"},
		Timeout: 500 * time.Millisecond,
	})
	c.expect("timed out", out.TimedOut, true)
	c.expect("signal of one that ignores SIGTERM", out.Signal, "SIGKILL")
	c.nothingRuns()
}

func (c *contract) cancel() {
	w := c.open()
	ctx, cancel := context.WithCancel(c.ctx)
	shown := time.AfterFunc(100*time.Millisecond, cancel)
	defer shown.Stop()
	_, err := w.Run(ctx, engine.Command{Argv: []string{"sleep", "1000"}})
	if !errors.Is(err, context.Canceled) {
		c.Errorf("a cancelled run: %v", err)
	}
	c.nothingRuns()
}

func (c *contract) childHoldsOutput() {
	c.open()
	before := time.Now()
	out := c.sh("sleep 1000 & echo started")
	c.expect("stdout", string(out.Stdout.Data), "started\n")
	c.expect("code", out.Code, 0)
	if took := time.Since(before); took > 20*time.Second {
		c.Errorf("took %s: it waited for the child", took)
	}
	closing := c.close()
	if len(closing.Killed) != 1 || !strings.HasPrefix(closing.Killed[0], "sleep") {
		c.Errorf("killed %q, want the sleep that was left", closing.Killed)
	}
}

// usage checks that the work of children and of children that nobody waited for
// counts.
func (c *contract) usage() {
	c.open()
	work := "i=0; while [ $i -lt 60000 ]; do i=$((i+1)); done"
	for _, script := range []string{work, "sh -c '" + work + "'", "(sh -c '" + work + "'; echo done >&2) & sleep 0.01; wait"} {
		out := c.sh(script)
		if cpu := out.Usage.UserSeconds + out.Usage.SystemSeconds; cpu < 0.005 || cpu > 20 {
			c.Errorf("%q used %g s", script, cpu)
		}
		if out.Usage.MaxRSS < 100 || out.Usage.MinorFaults == 0 {
			c.Errorf("%q: usage %+v", script, out.Usage)
		}
	}
}

func (c *contract) live() {
	shown := &Shown{}
	c.attempt.Output = shown
	c.open()
	out := c.command(engine.Command{Argv: []string{"sh", "-c", "echo one; echo two >&2"}, Name: "talk"})
	c.expect("stdout", string(out.Stdout.Data), "one\n")
	c.expect("shown", shown.Text("talk", false), "one\n")
	c.expect("shown of stderr", shown.Text("talk", true), "two\n")
}

// nothingStays is the worst that a step may leave behind.
func (c *contract) nothingStays() {
	w := c.open()
	c.sh(`
		setsid sh -c 'trap "" TERM HUP INT; sleep 1000' >/dev/null 2>&1 &
		(setsid setsid env -i sleep 1000 >/dev/null 2>&1 & )
		(sh -c 'sh -c "sleep 1000 & sleep 1000" & ' & )
		sleep 1000 & kill -STOP $!
		i=0; while [ $i -lt 200 ]; do sleep 1000 >/dev/null 2>&1 & i=$((i+1)); done`)
	if _, err := w.Start(c.ctx, engine.Command{Argv: []string{"sleep", "1000"}}, engine.Ready{}); err != nil {
		c.Fatal(err)
	}
	closing := c.close()
	if len(closing.Killed) < 204 {
		c.Errorf("named %d killed processes: %q", len(closing.Killed), closing.Killed)
	}
	if len(closing.Unkillable) > 0 {
		c.Errorf("unkillable: %q", closing.Unkillable)
	}
	c.nothingRuns()
	if _, err := os.Stat(w.Dir()); !errors.Is(err, os.ErrNotExist) {
		c.Errorf("the folder stays: %v", err)
	}
}

func (c *contract) nothingRuns() {
	c.Helper()
	if left := Tagged(c.attempt.Nonce); len(left) > 0 {
		c.Errorf("still running: %q", left)
	}
}

func (c *contract) fence() {
	c.open()
	fenced, err := c.host.Fence(c.ctx, NewAttempt())
	if err != nil {
		c.Fatal(err)
	}
	c.expect("how", fenced.How, "swept")
	c.expect("killed", len(fenced.Killed), 0)
	c.expect("code of the open attempt", c.sh("exit 0").Code, 0)
}

func (c *contract) atOnce() {
	w := c.open()
	var all sync.WaitGroup
	for i := range 32 {
		all.Go(func() {
			out, err := w.Run(c.ctx, engine.Command{Argv: []string{"echo", fmt.Sprint(i)}})
			if err != nil || string(out.Stdout.Data) != fmt.Sprintf("%d\n", i) {
				c.Errorf("echo %d: %q, %v", i, out.Stdout.Data, err)
			}
		})
	}
	all.Wait()
}
