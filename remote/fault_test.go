package remote_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"mpf/engine"
	"mpf/remote/remotetest"
)

// behind makes a block of ssh_config that leads through a proxy.
func behind(s *remotetest.Server, p *remotetest.Proxy) string {
	return strings.Replace(s.Alias("n", "HostKeyAlias [127.0.0.1]:"+s.Port), "Port "+s.Port, "Port "+p.Port, 1)
}

// work opens an attempt and executes a command in it.
func work(ctx context.Context, h engine.Host, argv ...string) (engine.Output, error) {
	w, err := h.Open(ctx, remotetest.NewAttempt())
	if err != nil {
		return engine.Output{}, err
	}
	out, err := w.Run(ctx, engine.Command{Argv: argv})
	_, closeErr := w.Close(context.WithoutCancel(ctx))
	return out, errors.Join(err, closeErr)
}

// mustBeUnreachable checks the type of what a broken host said.
func mustBeUnreachable(t *testing.T, err error) {
	t.Helper()
	var f *engine.Failure
	if !errors.As(err, &f) || f.Status != engine.Unreachable {
		t.Errorf("%v is not typed as unreachable", err)
	}
}

// running starts a command that outlasts the test and returns when it ended as
// seen from here.
func running(t *testing.T, h engine.Host) (engine.Attempt, <-chan error) {
	t.Helper()
	attempt := remotetest.NewAttempt()
	w, err := h.Open(t.Context(), attempt)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Start(t.Context(), engine.Command{Argv: []string{"setsid", "sleep", "1000"}}, engine.Ready{}); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() {
		_, err := w.Run(t.Context(), engine.Command{Argv: []string{"sleep", "1000"}})
		ended <- err
	}()
	return attempt, ended
}

// within returns what came, or fails after the time in which it had to.
func within(t *testing.T, d time.Duration, ended <-chan error) error {
	t.Helper()
	select {
	case err := <-ended:
		return err
	case <-time.After(d):
		t.Fatalf("nothing was noticed within %v", d)
		return nil
	}
}

// A cut link is noticed, and the host reached again.
func TestLinksThatAreCut(t *testing.T) {
	t.Parallel()
	s := remotetest.Sshd(t)
	p := remotetest.NewProxy(t, s.Addr)
	h := open(t, cluster(t, behind(s, p), oneShared)).Host("n")
	for kib := int64(4); kib < 24; kib++ { // below it no handshake ends
		p.CutAfter(kib << 10)
		p.Cut()
		_, err := work(t.Context(), h, "head", "-c", "100000", "/dev/zero")
		if err != nil {
			mustBeUnreachable(t, err)
		}
	}
	p.CutAfter(0)
	p.Cut()
	err := h.Reach(t.Context())
	for end := time.Now().Add(quick().GiveUp); err != nil && time.Now().Before(end); {
		err = h.Reach(t.Context()) // the link may not know yet that it is over
	}
	out, err := work(t.Context(), h, "head", "-c", "100000", "/dev/zero")
	if err != nil || out.Stdout.Size != 100000 {
		t.Errorf("%d bytes, %v", out.Stdout.Size, err)
	}
}

func TestLinksThatFallSilentOrAreReset(t *testing.T) {
	t.Parallel()
	for name, fault := range map[string]func(*remotetest.Proxy){
		"black hole": func(p *remotetest.Proxy) { p.BlackHole(true) },
		"reset":      func(p *remotetest.Proxy) { p.Reset() },
		"late":       func(p *remotetest.Proxy) { p.Delay(2 * quick().GiveUp) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bad, good := remotetest.Sshd(t), remotetest.Sshd(t)
			p := remotetest.NewProxy(t, bad.Addr)
			f := open(t, cluster(t, behind(bad, p)+good.Alias("good"), "hosts: {n: {shared: true}, good: {shared: true}}\n"))
			attempt, ended := running(t, f.Host("n"))
			fault(p)
			mustBeUnreachable(t, within(t, quick().GiveUp+2*time.Second, ended))
			if _, err := work(t.Context(), f.Host("good"), "true"); err != nil {
				t.Errorf("the other host: %v", err)
			}
			remotetest.WaitGone(t, attempt, quick().Lease+5*time.Second)
			p.BlackHole(false)
			p.Delay(0)
			if err := f.Host("n").Reach(t.Context()); err != nil {
				t.Fatal(err)
			}
			if _, err := f.Host("n").Fence(t.Context(), attempt); err != nil {
				t.Error(err)
			}
		})
	}
}

func TestASlowLinkDistortsNoDuration(t *testing.T) {
	t.Parallel()
	s := remotetest.Sshd(t)
	p := remotetest.NewProxy(t, s.Addr)
	h := open(t, cluster(t, behind(s, p), oneShared)).Host("n")
	p.Delay(150 * time.Millisecond)
	out, err := work(t.Context(), h, "sleep", "0.1")
	if err != nil || out.Seconds < 0.1 || out.Seconds > 0.3 {
		t.Errorf("with 300 ms for a round trip, sleep 0.1 took %v s, %v", out.Seconds, err)
	}
	p.Delay(0)
	p.Rate(8 << 10)
	out, err = work(t.Context(), h, "sh", "-c", "head -c 4096 /dev/zero")
	if err != nil || out.Stdout.Size != 4096 {
		t.Errorf("at 8 KiB/s: %d bytes, %v", out.Stdout.Size, err)
	}
}

func TestAServerThatIsStoppedAndStarted(t *testing.T) {
	t.Parallel()
	s := remotetest.Sshd(t)
	h := open(t, cluster(t, s.Alias("n"), oneShared)).Host("n")
	attempt, ended := running(t, h)
	s.Crash()
	mustBeUnreachable(t, within(t, quick().GiveUp, ended))
	remotetest.WaitGone(t, attempt, quick().Lease+5*time.Second)
	err := h.Reach(t.Context())
	mustBeUnreachable(t, err)
	if err == nil || !strings.Contains(err.Error(), "connection refused") {
		t.Errorf("stopped: %v", err)
	}
	s.Start()
	if err := h.Reach(t.Context()); err != nil {
		t.Errorf("started again: %v", err)
	}
}

func TestAHostKeyThatChangesBetweenRuns(t *testing.T) {
	t.Parallel()
	s, other := remotetest.Sshd(t), remotetest.Sshd(t)
	h := open(t, cluster(t, s.Alias("n"), oneShared)).Host("n")
	line := fmt.Sprintf("[127.0.0.1]:%s %s\n", s.Port, other.HostKey)
	if err := os.WriteFile(s.KnownHosts, []byte(line), 0o600); err != nil {
		t.Fatal(err)
	}
	s.KillSessions()
	changed := func(err error) bool { return err != nil && strings.Contains(err.Error(), "CHANGED") }
	err := h.Reach(t.Context())
	for end := time.Now().Add(quick().GiveUp); !changed(err) && time.Now().Before(end); {
		err = h.Reach(t.Context()) // the link may not know yet that it is over
	}
	if !changed(err) {
		t.Errorf("got %v", err)
	}
}

func TestAJumpHostThatDies(t *testing.T) {
	t.Parallel()
	outer, inner, s := remotetest.Sshd(t), remotetest.Sshd(t), remotetest.Sshd(t)
	config := outer.Alias("outer") + inner.Alias("inner", "ProxyJump outer") + s.Alias("n", "ProxyJump inner")
	h := open(t, cluster(t, config, oneShared)).Host("n")
	for name, gate := range map[string]*remotetest.Server{"the first": outer, "the second": inner} {
		attempt, ended := running(t, h)
		gate.Stop()
		mustBeUnreachable(t, within(t, quick().GiveUp, ended))
		remotetest.WaitGone(t, attempt, quick().Lease+5*time.Second)
		err := h.Reach(t.Context())
		mustBeUnreachable(t, err)
		if err == nil || !strings.Contains(strings.ToLower(err.Error()), "connection refused") {
			t.Errorf("%s is dead: %v", name, err)
		}
		gate.Start()
		if err := h.Reach(t.Context()); err != nil {
			t.Errorf("%s is back: %v", name, err)
		}
	}
}

// A server that allows one session, or one caller at a time, is enough; the
// callers wait for each other.
func TestServersThatAllowLittle(t *testing.T) {
	t.Parallel()
	for name, setting := range map[string]string{"one session": "MaxSessions 1", "one caller": "MaxStartups 1:100:1"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := remotetest.Sshd(t, setting)
			f := open(t, cluster(t, s.Alias("n1 n2 n3 n4"), "hosts: {n1: {shared: true}, n2: {shared: true}, n3: {shared: true}, n4: {shared: true}}\n"))
			for _, r := range f.Reached {
				if out, err := work(t.Context(), r.Host, "echo", "hello"); err != nil || string(out.Stdout.Data) != "hello\n" {
					t.Errorf("%s: %q, %v", r.Name, out.Stdout.Data, err)
				}
			}
		})
	}
}
