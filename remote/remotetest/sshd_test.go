package remotetest

import (
	"io"
	"net"
	"os/exec"
	"strings"
	"testing"
	"time"

	"mpf/engine/enginetest"
)

func TestSshdLetsItsKeyInAndHasAHomeOfItsOwn(t *testing.T) {
	enginetest.Need(t, "ssh")
	s := Sshd(t)
	s.write("config", s.Alias("n"))
	out, err := exec.Command("ssh", "-F", s.path("config"), "n", "echo $HOME").CombinedOutput()
	if err != nil || strings.TrimSpace(string(out)) != s.Home {
		t.Fatalf("%v: %s, want %s\n%s", err, out, s.Home, s.Log())
	}
	s.Stop()
	if out, err := exec.Command("ssh", "-F", s.path("config"), "n", "true").CombinedOutput(); err == nil {
		t.Errorf("stopped, and yet: %s", out)
	}
	s.Start()
	if out, err := exec.Command("ssh", "-F", s.path("config"), "n", "true").CombinedOutput(); err != nil {
		t.Errorf("started again: %v: %s", err, out)
	}
}

func echoServer(t *testing.T) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go func() { defer c.Close(); _, _ = io.Copy(c, c) }()
		}
	}()
	return l.Addr().String()
}

func TestProxyCutsDelaysAndSwallows(t *testing.T) {
	p := NewProxy(t, echoServer(t))
	c, err := net.Dial("tcp", p.Addr)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	p.Delay(20 * time.Millisecond)
	begun := time.Now()
	echo(t, c, "hello")
	if d := time.Since(begun); d < 40*time.Millisecond {
		t.Errorf("came back after %v, delayed by twice 20 ms", d)
	}
	p.Delay(0)
	p.BlackHole(true)
	_, _ = c.Write([]byte("x"))
	_ = c.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	if n, err := c.Read(make([]byte, 1)); n > 0 || err == io.EOF {
		t.Errorf("through the hole: %d, %v", n, err)
	}
	p.BlackHole(false)
	_ = c.SetReadDeadline(time.Time{})
	if _, err := io.ReadFull(c, make([]byte, 1)); err != nil {
		t.Error(err)
	}
	p.CutAfter(20)
	_, _ = c.Write([]byte("0123456789"))
	rest, _ := io.ReadAll(c)
	if p.Passed() != 20 || len(rest) > 8 {
		t.Errorf("passed %d bytes, cut after 20; %d came back", p.Passed(), len(rest))
	}
}

func echo(t *testing.T, c net.Conn, text string) {
	t.Helper()
	if _, err := c.Write([]byte(text)); err != nil {
		t.Fatal(err)
	}
	if _, err := io.ReadFull(c, make([]byte, len(text))); err != nil {
		t.Fatal(err)
	}
}
