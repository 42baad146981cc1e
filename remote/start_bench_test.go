package remote_test

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"mpf/remote/agentbin"
	"mpf/remote/wire"
)

// The start of an agent, from its execution to its preamble, which holds the hash
// of its binary, beside that of another program.
func BenchmarkAgentStart(b *testing.B) {
	const limit = 5 * time.Millisecond
	bin, err := agentbin.Find(b.Context(), runtime.GOOS, runtime.GOARCH)
	if err != nil {
		b.Fatal(err)
	}
	path := filepath.Join(b.TempDir(), "agent")
	if err := os.WriteFile(path, bin.Content, 0o700); err != nil {
		b.Fatal(err)
	}
	var starts, others []time.Duration
	for b.Loop() {
		starts = append(starts, startAgent(b, path))
		timed(b, &others, script("true"))
	}
	b.ReportMetric(float64(median(starts).Microseconds())/1000, "ms")
	b.ReportMetric(float64(median(starts))/float64(limit), "of-limit")
	b.ReportMetric(float64(median(starts))/float64(median(others)), "x-fork+exec")
}

// startAgent starts an agent and ends it again.
func startAgent(b *testing.B, path string) time.Duration {
	c := exec.Command(path, wire.AgentArgument)
	stdin, err := c.StdinPipe()
	if err != nil {
		b.Fatal(err)
	}
	stdout, err := c.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	begun := time.Now()
	if err := c.Start(); err != nil {
		b.Fatal(err)
	}
	greeting := wire.Greeting{Token: "token", Hash: true}
	if _, err := io.WriteString(stdin, greeting.String()); err != nil {
		b.Fatal(err)
	}
	if _, err := wire.ReadPreamble(bufio.NewReader(stdout), greeting.Token); err != nil {
		b.Fatal(err)
	}
	took := time.Since(begun)
	_ = stdin.Close()
	_ = c.Wait() // without a hello its worker complains
	return took
}
