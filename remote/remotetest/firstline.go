package remotetest

import (
	"bufio"
	"os/exec"
	"strings"
	"testing"
)

// FirstLine starts a program that ends with the test, and returns the first line
// that it prints, by which it says that it has come so far.
func FirstLine(t testing.TB, c *exec.Cmd) string {
	t.Helper()
	out, err := c.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = c.Process.Kill()
		_ = c.Wait() // it was killed
	})
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(line)
}
