package enginetest

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"mpf/engine"
)

// A Host is this machine as an engine.Host, by os/exec and without an agent. It
// is enough for tests of what stands above hosts; it kills only the processes
// that it started itself.
type Host struct {
	Name string
	Root string

	lock    sync.Mutex
	Down    error // what Reach and Open say
	Opened  int   // workspaces
	Fenced  int
	Stuck   []string // what Close cannot kill
	Refuses int      // how many times Open says Down before it works
	Lost    error    // what closing a workspace says, once
	How     string   // what Fence says; empty: swept
}

var _ engine.Host = (*Host)(nil)

// NewHost makes a host with a folder of its own.
func NewHost(t testing.TB, name string) *Host { return &Host{Name: name, Root: t.TempDir()} }

func (h *Host) Info() engine.HostInfo {
	return engine.HostInfo{Name: h.Name, Address: "127.0.0.1", BootID: "boot-" + h.Name, Facts: map[string]engine.Value{}}
}

func (h *Host) Reach(ctx context.Context) error {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.Refuses > 0 {
		return nil
	}
	return h.Down
}

// Answer brings the host back.
func (h *Host) Answer() {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.Down = nil
}

func (h *Host) Open(ctx context.Context, a engine.Attempt) (engine.Workspace, error) {
	h.lock.Lock()
	defer h.lock.Unlock()
	if h.Refuses > 0 {
		if h.Refuses--; h.Refuses == 0 {
			defer func() { h.Down = nil }()
		}
	}
	if h.Down != nil {
		return nil, &engine.Failure{Status: engine.Unreachable, Cause: engine.CauseLink, Message: h.Down.Error(), Host: h.Name}
	}
	h.Opened++
	dir := filepath.Join(h.Root, fmt.Sprint(h.Opened))
	return &workspace{host: h, dir: dir}, os.Mkdir(dir, 0o700)
}

func (h *Host) Fence(ctx context.Context, a engine.Attempt) (engine.Fenced, error) {
	h.lock.Lock()
	defer h.lock.Unlock()
	h.Fenced++
	return engine.Fenced{How: cmp.Or(h.How, "swept")}, nil
}

func (h *Host) Close() error { return nil }

type workspace struct {
	host      *Host
	dir       string
	lock      sync.Mutex
	processes []*process
}

func (w *workspace) Dir() string { return w.dir }

func (w *workspace) path(p string) string {
	if filepath.IsAbs(p) {
		return p
	}
	return filepath.Join(w.dir, p)
}

func (w *workspace) command(ctx context.Context, c engine.Command) *exec.Cmd {
	cmd := exec.CommandContext(ctx, c.Argv[0], c.Argv[1:]...)
	cmd.Dir, cmd.Env = w.path(c.Dir), append(os.Environ(), c.Env...)
	cmd.Stdin = bytes.NewReader(c.Stdin)
	return cmd
}

func (w *workspace) Run(ctx context.Context, c engine.Command) (engine.Output, error) {
	outer := ctx
	if c.Timeout > 0 {
		var cancel context.CancelFunc
		ctx, cancel = context.WithTimeout(ctx, c.Timeout)
		defer cancel()
	}
	var stdout, stderr bytes.Buffer
	cmd := w.command(ctx, c)
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	started := time.Now()
	err := cmd.Run()
	if outer.Err() != nil {
		return engine.Output{}, outer.Err()
	}
	out := output(c.Argv, started, cmd, stdout.Bytes(), stderr.Bytes())
	out.TimedOut = ctx.Err() != nil
	if exit := new(exec.ExitError); err != nil && !errors.As(err, &exit) {
		return out, &engine.Failure{Status: engine.Failed, Cause: engine.CauseExit, Message: err.Error(), Host: w.host.Name}
	}
	return out, nil
}

func output(argv []string, started time.Time, cmd *exec.Cmd, stdout, stderr []byte) engine.Output {
	out := engine.Output{
		Argv: argv, Started: started, Seconds: time.Since(started).Seconds(),
		Stdout: engine.Stream{Data: stdout, Size: int64(len(stdout))},
		Stderr: engine.Stream{Data: stderr, Size: int64(len(stderr))},
	}
	if cmd.ProcessState != nil {
		out.Code = cmd.ProcessState.ExitCode()
	}
	return out
}

func (w *workspace) Start(ctx context.Context, c engine.Command, ready engine.Ready) (engine.Process, error) {
	p := &process{argv: c.Argv, started: time.Now(), done: make(chan struct{})}
	p.cmd = w.command(context.WithoutCancel(ctx), c)
	p.cmd.Stdout = &p.stdout
	if err := p.cmd.Start(); err != nil {
		return nil, err
	}
	go func() { _ = p.cmd.Wait(); close(p.done) }()
	w.lock.Lock()
	w.processes = append(w.processes, p)
	w.lock.Unlock()
	if ready.Port > 0 {
		return p, w.WaitPort(ctx, ready.Port)
	}
	return p, nil
}

func (w *workspace) Put(ctx context.Context, local, path string) error {
	data, err := os.ReadFile(local)
	if err != nil {
		return err
	}
	return os.WriteFile(w.path(path), data, 0o600)
}

func (w *workspace) Get(ctx context.Context, path, local string) error {
	info, err := os.Stat(w.path(path))
	if err != nil {
		return err
	}
	if info.IsDir() {
		return os.CopyFS(local, os.DirFS(w.path(path)))
	}
	data, err := os.ReadFile(w.path(path))
	if err != nil {
		return err
	}
	return os.WriteFile(local, data, 0o600)
}

func (w *workspace) ReadFile(ctx context.Context, path string, limit int64) ([]byte, error) {
	return os.ReadFile(w.path(path))
}

func (w *workspace) WriteFile(ctx context.Context, path string, data []byte, mode fs.FileMode) error {
	return os.WriteFile(w.path(path), data, mode)
}

func (w *workspace) WaitPort(ctx context.Context, port int) error {
	for ctx.Err() == nil {
		c, err := net.Dial("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err == nil {
			return c.Close()
		}
		time.Sleep(time.Millisecond)
	}
	return ctx.Err()
}

func (w *workspace) Close(ctx context.Context) (engine.Closing, error) {
	end := engine.Closing{Unkillable: w.host.Stuck}
	for _, p := range w.processes {
		if out, err := p.Stop(ctx); err == nil && out.Stopped {
			end.Killed = append(end.Killed, p.argv[0])
		}
	}
	w.host.lock.Lock()
	defer w.host.lock.Unlock()
	lost := w.host.Lost
	w.host.Lost = nil
	return end, lost
}

type process struct {
	argv    []string
	cmd     *exec.Cmd
	started time.Time
	done    chan struct{}
	stdout  lockedBuffer
}

func (p *process) Wait(ctx context.Context) (engine.Output, error) {
	select {
	case <-p.done:
		out := output(p.argv, p.started, p.cmd, p.stdout.bytes(), nil)
		out.Background = true
		return out, nil
	case <-ctx.Done():
		return engine.Output{}, ctx.Err()
	}
}

func (p *process) Stop(ctx context.Context) (engine.Output, error) {
	stopped := p.cmd.Process.Kill() == nil
	out, err := p.Wait(ctx)
	out.Stopped = stopped
	return out, err
}

func (p *process) Stdout(ctx context.Context) ([]byte, error) { return p.stdout.bytes(), nil }

// A lockedBuffer is written by a process while it is read.
type lockedBuffer struct {
	lock   sync.Mutex
	buffer bytes.Buffer
}

func (b *lockedBuffer) Write(data []byte) (int, error) {
	b.lock.Lock()
	defer b.lock.Unlock()
	return b.buffer.Write(data)
}

func (b *lockedBuffer) bytes() []byte {
	b.lock.Lock()
	defer b.lock.Unlock()
	return bytes.Clone(b.buffer.Bytes())
}
