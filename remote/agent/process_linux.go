package agent

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"mpf/remote/wire"
)

// afterExit is how long a command's output is still waited for once the command
// has ended: something that it left behind may hold the pipe for ever.
const afterExit = 250 * time.Millisecond

// stdinInPipe is what a pipe holds without anybody reading it.
const stdinInPipe = 64 << 10

// The variables that every process of an attempt has.
const (
	tagVariable     = "MPF_RUN"
	commandVariable = "MPF_COMMAND"
)

// A process is a command in a workspace.
type process struct {
	owner *workspace
	id    uint32 // of its call
	name  string
	pid   int

	stdout, stderr capture
	budget         atomic.Int64
	pipes          [2]outputPipe
	handle         int         // of the kernel's for the process, or -1
	followed       atomic.Bool // see follow

	started   time.Time // wall and monotonic
	slept     time.Duration
	ended     chan struct{} // closed when exit is set
	whenEnded func()        // or nil: called when exit is set

	mu      sync.Mutex
	open    int // pipes still read
	over    bool
	status  syscall.WaitStatus
	seconds float64
	usage   wire.Usage
	timers  []*time.Timer
	timeout bool
	stopped bool
	exit    *wire.Exit
}

// start runs the command. Nothing is left behind by one that could not be
// started.
func (p *process) start(c *wire.Command, stdin []byte) error {
	argv, env := p.owner.argv(c, p.id)
	path, err := lookPath(argv[0], env, p.owner.resolve(c.Dir))
	if err != nil {
		return err
	}
	in, err := p.openStdin(c, stdin)
	if err != nil {
		return err
	}
	defer closeStdin(in, p.owner.server.null)
	var out, errs [2]int
	if err := pipes(&out, &errs); err != nil {
		return err
	}
	p.pipes[0].fd, p.pipes[0].to = out[0], &p.stdout
	p.pipes[1].fd, p.pipes[1].to = errs[0], &p.stderr
	p.open = len(p.pipes)
	p.started, p.slept = time.Now(), p.owner.server.slept()
	attributes := p.owner.processAttributes()
	attributes.PidFD = &p.handle
	err = p.owner.server.children.start(p, func() (int, error) {
		return syscall.ForkExec(path, argv, &syscall.ProcAttr{
			Dir:   p.owner.resolve(c.Dir),
			Env:   env,
			Files: []uintptr{uintptr(in), uintptr(out[1]), uintptr(errs[1])},
			Sys:   attributes,
		})
	})
	syscall.Close(out[1])
	syscall.Close(errs[1])
	if err != nil {
		syscall.Close(out[0])
		syscall.Close(errs[0])
		return startError(c, argv[0], p.owner.resolve(c.Dir), err)
	}
	p.follow()
	return nil
}

// An outputPipe is the end of a pipe that is read. It is closed once, and not
// while it is read: its number may be another file's the moment after.
type outputPipe struct {
	fd int
	to *capture

	mu     sync.Mutex
	closed bool
}

// follow reads the command's output, and waits for its end, on the loop.
func (p *process) follow() {
	l := p.owner.server.loop
	for i := range p.pipes {
		pipe := &p.pipes[i]
		if err := l.watch(pipe.fd, func() { p.read(pipe, p.owner.server.buffer) }); err != nil {
			p.closePipe(pipe)
		}
	}
	if !p.watchEnd() {
		go p.waitForEnd()
	}
	// It may have ended before anybody was told.
	p.owner.server.children.reapIfSkipped()
}

// watchEnd asks the kernel to tell of the process's end.
func (p *process) watchEnd() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	s := p.owner.server
	return p.over || p.handle >= 0 && s.loop.watch(p.handle, s.children.reap) == nil
}

// waitForEnd is for kernels that cannot tell of a process's end otherwise.
func (p *process) waitForEnd() {
	for !p.isOver() {
		p.owner.server.children.reap()
		time.Sleep(10 * time.Millisecond)
	}
}

// read takes once what there is to read.
func (p *process) read(pipe *outputPipe, buffer []byte) {
	pipe.mu.Lock()
	if pipe.closed {
		pipe.mu.Unlock()
		return
	}
	n, err := syscall.Read(pipe.fd, buffer)
	pipe.mu.Unlock()
	switch {
	case n > 0:
		// A capture takes everything.
		_, _ = pipe.to.Write(buffer[:n])
	case n < 0 && (errors.Is(err, syscall.EAGAIN) || errors.Is(err, syscall.EINTR)):
	default:
		p.closePipe(pipe)
	}
}

// closePipe ends the reading of a pipe.
func (p *process) closePipe(pipe *outputPipe) {
	pipe.mu.Lock()
	closed := pipe.closed
	pipe.closed = true
	if !closed {
		p.owner.server.loop.close(pipe.fd)
	}
	pipe.mu.Unlock()
	if closed {
		return
	}
	p.mu.Lock()
	p.open--
	last, over := p.open == 0, p.over
	p.mu.Unlock()
	switch {
	case last && over:
		p.finish()
	case last:
		// Most often the command has just ended: no need to wait to be told.
		p.owner.server.children.reap()
	}
}

// account adds the usage of a reaped process of the command's tree.
func (p *process) account(r *syscall.Rusage) {
	p.mu.Lock()
	defer p.mu.Unlock()
	addUsage(&p.usage, r)
}

// exited is told that the command itself has ended.
func (p *process) exited(status syscall.WaitStatus) {
	p.mu.Lock()
	p.status, p.over, p.seconds = status, true, time.Since(p.started).Seconds()
	for _, t := range p.timers {
		t.Stop()
	}
	drained := p.open == 0
	if p.handle >= 0 {
		p.owner.server.loop.close(p.handle)
	}
	p.mu.Unlock()
	if drained {
		p.finish()
		return
	}
	time.AfterFunc(afterExit, func() {
		for i := range p.pipes {
			p.closePipe(&p.pipes[i])
		}
	})
}

// finish makes the exit. It is called once: by whoever sees the command over and
// its pipes ended.
func (p *process) finish() {
	p.mu.Lock()
	if p.exit != nil {
		p.mu.Unlock()
		return
	}
	code, signal := exitOf(p.status)
	out, errs := p.stdout.snapshot(), p.stderr.snapshot()
	p.exit = &wire.Exit{
		Code: code, Signal: signal,
		TimedOut: p.timeout, Stopped: p.stopped,
		Started: p.started.UnixNano(), Seconds: p.seconds,
		Suspended: (p.owner.server.slept() - p.slept).Seconds(),
		Stdout:    wire.Captured{Size: out.size, Kept: out.kept()},
		Stderr:    wire.Captured{Size: errs.size, Kept: errs.kept()},
		Usage:     p.usage,
	}
	p.mu.Unlock()
	close(p.ended)
	if p.whenEnded != nil {
		p.whenEnded()
	}
}

// after calls f later, unless the command ends before.
func (p *process) after(d time.Duration, f func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		p.timers = append(p.timers, time.AfterFunc(d, f))
	}
}

// expire ends a command whose time is over.
func (p *process) expire() {
	p.mark(func() { p.timeout = true })
	p.kill()
}

// stop ends a command that is no longer wanted.
func (p *process) stop() bag {
	p.mark(func() { p.stopped = true })
	return p.kill()
}

// mark notes why a command is about to end, if it still runs.
func (p *process) mark(set func()) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if !p.over {
		set()
	}
}

// kill ends the command and all that it started.
func (p *process) kill() bag {
	s := p.owner.server
	return hunt{
		members: func() []procEntry {
			return s.children.members(
				func(owner *process) bool { return owner == p },
				func(pid int) bool { return tagOf(pid, commandVariable) == p.owner.commandTag(p.id) })
		},
		reap:  s.children.reap,
		grace: s.grace,
	}.run()
}

func (p *process) isOver() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.over
}

// openStdin gives the command what it reads: nothing, a filled pipe, a file in
// memory, or a file.
func (p *process) openStdin(c *wire.Command, stdin []byte) (int, error) {
	switch {
	case c.StdinFile != "":
		return syscall.Open(p.owner.resolve(c.StdinFile), syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	case len(stdin) == 0:
		return p.owner.server.null, nil
	case len(stdin) <= stdinInPipe:
		return filledPipe(stdin)
	}
	fd, err := unix.MemfdCreate("stdin", unix.MFD_CLOEXEC)
	if err != nil {
		return -1, fmt.Errorf("hold stdin: %w", err)
	}
	if _, err := (fdStream{out: fd}).Write(stdin); err != nil {
		return -1, errors.Join(fmt.Errorf("hold stdin: %w", err), syscall.Close(fd))
	}
	if _, err := syscall.Seek(fd, 0, 0); err != nil {
		return -1, errors.Join(fmt.Errorf("hold stdin: %w", err), syscall.Close(fd))
	}
	return fd, nil
}

func filledPipe(content []byte) (int, error) {
	var ends [2]int
	if err := syscall.Pipe2(ends[:], syscall.O_CLOEXEC); err != nil {
		return -1, err
	}
	_, err := fdStream{out: ends[1]}.Write(content)
	return ends[0], errors.Join(err, syscall.Close(ends[1]))
}

func closeStdin(fd, null int) {
	if fd != null {
		syscall.Close(fd) // it was only read
	}
}

// pipes makes both pipes; the ends that stay here do not block.
func pipes(out, errs *[2]int) error {
	if err := syscall.Pipe2(out[:], syscall.O_CLOEXEC); err != nil {
		return err
	}
	if err := syscall.Pipe2(errs[:], syscall.O_CLOEXEC); err != nil {
		return errors.Join(err, syscall.Close(out[0]), syscall.Close(out[1]))
	}
	return errors.Join(syscall.SetNonblock(out[0], true), syscall.SetNonblock(errs[0], true))
}

// lookPath finds a program as the command's own PATH says.
func lookPath(program string, env []string, dir string) (string, error) {
	if strings.Contains(program, "/") {
		return program, nil
	}
	for folders := lookup(env, "PATH"); folders != ""; {
		var folder string
		folder, folders, _ = strings.Cut(folders, ":")
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(dir, folder)
		}
		if path := folder + "/" + program; executable(path) {
			return path, nil
		}
	}
	return "", failed("command %q: not found on this host", program)
}

// executable reports whether a path is a file that somebody may execute.
func executable(path string) bool {
	var info syscall.Stat_t
	return syscall.Stat(path, &info) == nil && info.Mode&syscall.S_IFMT == syscall.S_IFREG && info.Mode&0o111 != 0
}

// startError says what the kernel meant.
func startError(c *wire.Command, program, dir string, err error) error {
	if _, statErr := os.Stat(dir); statErr != nil {
		return failed("command %q: no folder %q to run it in", c.Argv[0], dir)
	}
	switch {
	case errors.Is(err, syscall.ENOENT):
		return failed("command %q: not found on this host", program)
	case errors.Is(err, syscall.EACCES):
		return failed("command %q: not executable", program)
	case errors.Is(err, syscall.ENOEXEC):
		return failed("command %q: neither a binary of this machine nor a script with a #! line", program)
	}
	return failed("command %q: %v", program, err)
}

func exitOf(status syscall.WaitStatus) (code int, signal string) {
	if status.Signaled() {
		return -1, unix.SignalName(status.Signal())
	}
	return status.ExitStatus(), ""
}

// refusedBySudo reports whether sudo wanted a password.
func refusedBySudo(exit *wire.Exit, stderr []byte) bool {
	return exit.Code == 1 && bytes.HasPrefix(stderr, []byte("sudo: ")) &&
		(bytes.Contains(stderr, []byte("password")) || bytes.Contains(stderr, []byte("terminal")))
}
