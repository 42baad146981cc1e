package agent

import (
	"os"
	"sync"
	"syscall"
	"unsafe"
)

// children knows which process belongs to which command and collects the dead.
// As a reaper the worker inherits what its descendants leave behind; those are
// told apart by their session, or by their tag.
type children struct {
	mu       sync.Mutex
	direct   map[int]*process // started and not yet reaped, by pid
	sessions map[int]*process // by session, which has the pid of its command
	orphans  map[int]*process // inherited ones that no session gives away, by pid
	starting int              // processes that exist but are not in direct yet
	skipped  bool             // the dead were left alone because of that
}

func newChildren() *children {
	return &children{direct: map[int]*process{}, sessions: map[int]*process{}, orphans: map[int]*process{}}
}

// muteChildren has the kernel send no signal when a child ends. Go takes it and
// does nothing with it, in whatever thread that interrupts.
func muteChildren() {
	var byDefault [8]uint64 // more than any kernel's description of a handler
	_, _, _ = syscall.RawSyscall6(syscall.SYS_RT_SIGACTION, uintptr(syscall.SIGCHLD), uintptr(unsafe.Pointer(&byDefault)), 0, 8, 0, 0)
}

// start forks and enters the new process. The dead are left alone meanwhile: the
// new one may be among them before its pid is known.
func (c *children) start(p *process, fork func() (int, error)) error {
	c.mu.Lock()
	c.starting++
	c.mu.Unlock()
	pid, err := fork()
	c.mu.Lock()
	c.starting--
	if err == nil {
		p.pid = pid
		c.direct[pid], c.sessions[pid] = p, p
	}
	c.mu.Unlock()
	return err
}

// forget drops what is known of a command once its workspace is closed.
func (c *children) forget(p *process) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.sessions[p.pid] == p {
		delete(c.sessions, p.pid)
	}
	for pid, owner := range c.orphans {
		if owner == p {
			delete(c.orphans, pid)
		}
	}
}

// reapIfSkipped makes up for what was left alone while a process started.
func (c *children) reapIfSkipped() {
	c.mu.Lock()
	skipped := c.skipped && c.starting == 0
	if skipped {
		c.skipped = false
	}
	c.mu.Unlock()
	if skipped {
		c.reap()
	}
}

// reap collects all that have ended and tells the commands that did.
func (c *children) reap() {
	for _, ended := range c.collect() {
		ended()
	}
}

func (c *children) collect() (ended []func()) {
	c.mu.Lock()
	defer c.mu.Unlock()
	for {
		pid, err := peekChild()
		if err != nil || pid == 0 {
			return ended
		}
		owner, isDirect := c.direct[pid]
		if !isDirect {
			if c.starting > 0 {
				c.skipped = true
				return ended
			}
			owner = c.ownerOf(pid)
		}
		var status syscall.WaitStatus
		var usage syscall.Rusage
		if _, err := syscall.Wait4(pid, &status, syscall.WNOHANG|syscall.WALL, &usage); err != nil {
			return ended
		}
		delete(c.direct, pid)
		delete(c.orphans, pid)
		if owner != nil {
			owner.account(&usage)
		}
		if isDirect {
			ended = append(ended, func() { owner.exited(status) })
		}
	}
}

// ownerOf finds the command that an inherited process belongs to, or nil.
func (c *children) ownerOf(pid int) *process {
	if owner := c.orphans[pid]; owner != nil {
		return owner
	}
	entry, _ := readProc(pid) // a process that is gone has no session
	return c.sessions[entry.session]
}

// members lists the living processes of a workspace, or of one command of it.
func (c *children) members(belongs func(*process) bool, strays func(pid int) bool) []procEntry {
	if childless() {
		return nil
	}
	table := readProcTable()
	self := os.Getpid()
	c.mu.Lock()
	defer c.mu.Unlock()
	return table.below(func(p procEntry) bool {
		if owner := c.direct[p.pid]; owner != nil {
			return belongs(owner)
		}
		if owner := c.sessions[p.session]; owner != nil {
			return belongs(owner)
		}
		return p.parent == self && strays(p.pid)
	})
}
