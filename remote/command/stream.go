package command

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"
)

// A Stream is the stdin and stdout of a program.
type Stream struct {
	command *exec.Cmd
	stdin   *os.File
	stdout  *os.File
	stderr  *tail
	sha256  string

	once   sync.Once
	ended  chan struct{}
	waited error
}

// closeLimit is how long a program may take to end after its stdin did: an agent
// kills what it runs first.
const closeLimit = 20 * time.Second

// start starts a program in a session of its own, so that an interrupt of
// the terminal reaches the controller alone.
func start(argv []string) (*Stream, error) {
	c := &Stream{command: exec.Command(argv[0], argv[1:]...), stderr: &tail{}, ended: make(chan struct{})}
	theirIn, ourIn, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	ourOut, theirOut, err := os.Pipe()
	if err != nil {
		return nil, errors.Join(err, theirIn.Close(), ourIn.Close())
	}
	c.stdin, c.stdout = ourIn, ourOut
	c.command.Stdin, c.command.Stdout, c.command.Stderr = theirIn, theirOut, c.stderr
	c.command.SysProcAttr = ownSession()
	c.command.WaitDelay = time.Second
	err = c.command.Start()
	theirIn.Close()
	theirOut.Close()
	if err != nil {
		ourIn.Close()
		ourOut.Close()
		return nil, fmt.Errorf("%s: %w", argv[0], err)
	}
	go func() {
		c.waited = c.command.Wait()
		close(c.ended)
	}()
	return c, nil
}

// Read reads what the program prints.
func (c *Stream) Read(p []byte) (int, error) { return c.stdout.Read(p) }

// Write writes to the program's stdin.
func (c *Stream) Write(p []byte) (int, error) { return c.stdin.Write(p) }

// Close ends the program: by the end of its stdin, and if that does not help by
// force.
func (c *Stream) Close() error {
	c.once.Do(func() {
		c.stdin.Close()
		select {
		case <-c.ended:
		case <-time.After(closeLimit):
			// One that ended in between needs no signal.
			_ = c.command.Process.Kill()
			<-c.ended
		}
		c.stdout.Close()
	})
	return nil
}

// Diagnostics is what the program said, and how it ended if it did.
func (c *Stream) Diagnostics() string {
	said := c.stderr.String()
	select {
	case <-c.ended:
	case <-time.After(time.Second):
		return said
	}
	if c.waited != nil {
		said = strings.TrimSpace(said + "\n" + c.waited.Error())
	}
	return said
}

// AgentSHA256 is the hash of the agent that was sent; empty where mpf itself is
// the agent.
func (c *Stream) AgentSHA256() string { return c.sha256 }

// abort ends a program that does not do what it should.
func (c *Stream) abort() {
	_ = c.command.Process.Kill() // it may have ended by itself
}

// abandon ends a program and says why.
func (c *Stream) abandon(ctx context.Context, err error) error {
	c.stdin.Close()
	select {
	case <-c.ended:
	case <-time.After(time.Second):
		c.abort()
	}
	c.Close()
	if ctx.Err() != nil {
		err = ctx.Err()
	}
	if said := c.Diagnostics(); said != "" {
		return fmt.Errorf("%w; %s said %q", err, c.command.Args[0], said)
	}
	return err
}

// tail keeps the end of what is written.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

const tailSize = 4 << 10

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p...)
	t.kept = t.kept[max(0, len(t.kept)-tailSize):]
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.TrimSpace(string(t.kept))
}

var _ io.ReadWriteCloser = (*Stream)(nil)
