package remote_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"mpf/engine"
	"mpf/remote"
	"mpf/remote/remotetest"
)

// openWorkspace begins an attempt for a benchmark.
func openWorkspace(b *testing.B, h *remote.Host) engine.Workspace {
	b.Helper()
	w, err := h.Open(b.Context(), remotetest.NewAttempt())
	if err != nil {
		b.Fatal(err)
	}
	return w
}

// fork runs true as a program of this process.
func fork(b *testing.B) {
	var out, errs bytes.Buffer
	c := exec.Command("true")
	c.Stdout, c.Stderr = &out, &errs
	if err := c.Run(); err != nil {
		b.Fatal(err)
	}
}

// BenchmarkCommand runs true on a local host and as a child in turns, and
// prints how the times compare. Some commands are in flight at once.
func BenchmarkCommand(b *testing.B) {
	for _, inFlight := range []int{1, 8, 32} {
		b.Run(map[int]string{1: "1", 8: "8", 32: "32"}[inFlight], func(b *testing.B) {
			h := connect(b, remote.Local{})
			defer h.Close()
			w := openWorkspace(b, h)
			run := func() {
				if out, err := w.Run(b.Context(), engine.Command{Argv: []string{"true"}}); err != nil || out.Code != 0 {
					b.Error(out.Code, err)
				}
			}
			var here, there time.Duration
			for b.Loop() {
				there += rounds(inFlight, run)
				here += rounds(inFlight, func() { fork(b) })
			}
			b.ReportMetric(float64(there)/float64(here), "agent/fork")
			b.ReportMetric(float64(there.Microseconds())/float64(b.N*4*inFlight), "µs/command")
		})
	}
}

// rounds runs do four times in each of some goroutines.
func rounds(inFlight int, do func()) time.Duration {
	begun := time.Now()
	var all sync.WaitGroup
	for range inFlight {
		all.Go(func() {
			for range 4 {
				do()
			}
		})
	}
	all.Wait()
	return time.Since(begun)
}

// BenchmarkLocalUpload puts a file of 20 MB that the host does not have, and one that
// it has.
func BenchmarkLocalUpload(b *testing.B) {
	content := make([]byte, 20<<20)
	local := filepath.Join(b.TempDir(), "file")
	h := connect(b, remote.Local{})
	defer h.Close()
	w, err := h.Open(b.Context(), remotetest.NewAttempt())
	if err != nil {
		b.Fatal(err)
	}
	put := func(b *testing.B) {
		if err := w.Put(b.Context(), local, "file"); err != nil {
			b.Fatal(err)
		}
	}
	write := func(b *testing.B) {
		if err := os.WriteFile(local, content, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	write(b)
	b.Run("new", func(b *testing.B) {
		b.SetBytes(int64(len(content)))
		for b.Loop() {
			content[0]++
			write(b)
			put(b)
		}
	})
	b.Run("equal", func(b *testing.B) {
		b.SetBytes(int64(len(content)))
		for b.Loop() {
			put(b)
		}
	})
}
