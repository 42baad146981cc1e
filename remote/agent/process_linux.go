package agent

import (
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
	sudo  bool // it goes through sudo
	stale bool // the file that tells that it is ready was there before
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
	if p.sudo {
		if err := p.owner.markSudo(); err != nil {
			return err
		}
	}
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
	pipes, err := p.owner.server.stock.take()
	if err != nil {
		return err
	}
	out, errs := pipes.out, pipes.errs
	p.pipes[0].fd, p.pipes[0].to = out[0], &p.stdout
	p.pipes[1].fd, p.pipes[1].to = errs[0], &p.stderr
	p.open = len(p.pipes)
	p.owner.server.flush() // nobody waits for another's start
	p.started, p.slept = time.Now(), p.owner.server.slept()
	attributes := p.owner.processAttributes()
	attributes.PidFD = &p.handle
	err = p.owner.server.children.start(p, func() (int, error) {
		return forkExec(path, argv, &syscall.ProcAttr{
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
		return startError(c, argv[0], path, p.owner.resolve(c.Dir), err)
	}
	p.follow()
	return nil
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
	p.stopTimers()
	drained := p.open == 0
	if !drained {
		p.timers = append(p.timers, time.AfterFunc(afterExit, p.drain))
	}
	if p.handle >= 0 {
		p.owner.server.loop.close(p.handle)
	}
	p.mu.Unlock()
	if drained {
		p.finish()
	}
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
	p.stopTimers()
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

// stopTimers is called with the lock held.
func (p *process) stopTimers() {
	for _, t := range p.timers {
		t.Stop()
	}
	p.timers = nil
}

// expire ends a command whose time is over.
func (p *process) expire() {
	p.mark(func() { p.timeout = true })
	p.end()
}

// stop ends a command that is no longer wanted.
func (p *process) stop() bag {
	p.mark(func() { p.stopped = true })
	return p.end()
}

// end kills the command. Nobody waits for one that no signal ends: the end of its
// attempt names it.
func (p *process) end() bag {
	found := p.kill()
	if len(found.unkillable) > 0 {
		p.giveUp()
	}
	return found
}

func (p *process) giveUp() {
	p.mu.Lock()
	over := p.over
	if !over {
		p.status, p.over, p.seconds = syscall.WaitStatus(syscall.SIGKILL), true, time.Since(p.started).Seconds()
	}
	p.mu.Unlock()
	if over {
		return
	}
	p.drain()
	p.finish()
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
				func(pid int) bool { return s.eyes.tag(pid, commandVariable) == p.owner.commandTag(p.id) })
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

func exitOf(status syscall.WaitStatus) (code int, signal string) {
	if status.Signaled() {
		return -1, unix.SignalName(status.Signal())
	}
	return status.ExitStatus(), ""
}
