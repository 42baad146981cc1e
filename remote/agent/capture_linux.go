package agent

import (
	"fmt"
	"io"
	"os"
	"sync"
	"sync/atomic"

	"golang.org/x/sys/unix"
)

const (
	inMemory  = 1 << 20  // of a stream; what follows goes to a file
	keptAtAll = 64 << 20 // of all streams of a command together
)

// A capture keeps what a command prints on one stream: the first of it in
// memory, more in a file without a name, and beyond the budget only its size.
type capture struct {
	spoolDir string
	budget   *atomic.Int64 // bytes that the command's streams may still keep
	watch    func([]byte)  // or nil: sees all that is printed

	mu    sync.Mutex
	head  []byte
	spool *os.File
	tail  int64 // bytes in spool
	size  int64
	err   error // of the spool: what follows is not kept
}

// Write takes output. It never fails: a command must not stall because its
// output cannot be kept.
func (c *capture) Write(p []byte) (int, error) {
	if c.watch != nil {
		c.watch(p)
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.size += int64(len(p))
	keep := min(int64(len(p)), max(0, c.budget.Add(-int64(len(p)))+int64(len(p))))
	if c.err != nil || c.size-int64(len(p)) > c.kept() {
		return len(p), nil // there is a gap already
	}
	c.keep(p[:keep])
	return len(p), nil
}

func (c *capture) keep(p []byte) {
	n := 0
	if c.spool == nil {
		n = min(len(p), inMemory-len(c.head))
		c.head = append(c.head, p[:n]...)
	}
	if n == len(p) {
		return
	}
	if c.spool == nil {
		if c.spool, c.err = openNameless(c.spoolDir); c.err != nil {
			return
		}
	}
	written, err := c.spool.WriteAt(p[n:], c.tail)
	c.tail += int64(written)
	c.err = err
}

func (c *capture) kept() int64 { return int64(len(c.head)) + c.tail }

// openNameless makes a file that goes when it is closed.
func openNameless(dir string) (*os.File, error) {
	fd, err := unix.Open(dir, unix.O_TMPFILE|unix.O_RDWR|unix.O_CLOEXEC, 0o600)
	if err == nil {
		return os.NewFile(uintptr(fd), dir), nil
	}
	f, err := os.CreateTemp(dir, "output-*")
	if err != nil {
		return nil, fmt.Errorf("keep output: %w", err)
	}
	return f, os.Remove(f.Name())
}

// A snapshot is what a capture kept up to a moment.
type snapshot struct {
	size int64
	head []byte
	tail io.Reader
	more int64 // bytes in tail
}

func (s snapshot) kept() int64 { return int64(len(s.head)) + s.more }

// snapshot of what was kept so far; it stays valid while the command goes on.
func (c *capture) snapshot() snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	s := snapshot{size: c.size, head: c.head, more: c.tail}
	if c.spool != nil {
		s.tail = io.NewSectionReader(c.spool, 0, c.tail)
	}
	return s
}

// discard gives back what was kept.
func (c *capture) discard() {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.spool != nil {
		c.spool.Close() // it has no name: nothing is lost
	}
	c.spool, c.tail, c.head = nil, 0, nil
}
