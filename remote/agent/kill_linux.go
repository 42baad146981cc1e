package agent

import (
	"errors"
	"os"
	"sort"
	"strconv"
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// hopeless is how long a process may resist SIGKILL before it counts as one that
// cannot be killed: it waits in the kernel, or belongs to somebody else.
const hopeless = 5 * time.Second

// A hunt ends processes: those that members lists, again and again until there
// are none.
type hunt struct {
	members func() []procEntry
	reap    func() // collects the dead, so that members forgets them
	grace   time.Duration
}

// A bag is what a hunt brought home, by name.
type bag struct {
	killed     []string // needed SIGKILL
	unkillable []string
}

// run sends SIGTERM, waits for the grace, and kills what is left.
func (h hunt) run() bag {
	first := h.members()
	if len(first) == 0 {
		return bag{}
	}
	if h.grace > 0 {
		h.terminate(first)
		if h.gone(h.grace) {
			return bag{}
		}
	}
	return h.kill()
}

// terminate asks processes to end. A stopped one is woken to hear it.
func (h hunt) terminate(members []procEntry) {
	signalAll(members, syscall.SIGTERM)
	var stopped []procEntry
	for _, p := range members {
		if p.state == 'T' {
			stopped = append(stopped, p)
		}
	}
	signalAll(stopped, syscall.SIGCONT)
}

// gone waits until no member is left, looking ever less often.
func (h hunt) gone(limit time.Duration) bool {
	deadline := time.Now().Add(limit)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		h.reap()
		if len(h.members()) == 0 {
			return true
		}
		if time.Now().After(deadline) {
			return false
		}
		time.Sleep(pause)
	}
}

// kill stops all members before it kills them, so that none starts another one
// meanwhile.
func (h hunt) kill() bag {
	killed := map[int]procEntry{}
	deadline := time.Now().Add(hopeless)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		members := h.members()
		if len(members) == 0 {
			return bag{killed: names(killed)}
		}
		if time.Now().After(deadline) {
			return bag{killed: names(without(killed, members)), unkillable: names(byPID(members))}
		}
		signalAll(members, syscall.SIGSTOP)
		members = h.members()
		signalAll(members, syscall.SIGKILL)
		for _, p := range members {
			killed[p.pid] = p
		}
		time.Sleep(pause)
		h.reap()
	}
}

// signalOwn signals a process that is still the one that was seen.
func signalOwn(p procEntry, s syscall.Signal) error {
	if now, ok := readProc(p.pid); !ok || now.start != p.start {
		return syscall.ESRCH
	}
	return syscall.Kill(p.pid, s)
}

// signalAll signals processes, and asks sudo where they belong to another user.
func signalAll(processes []procEntry, s syscall.Signal) {
	var foreign []string
	for _, p := range processes {
		if errors.Is(signalOwn(p, s), syscall.EPERM) {
			foreign = append(foreign, strconv.Itoa(p.pid))
		}
	}
	if foreign != nil {
		signalAsRoot(foreign, s)
	}
}

// killDescendants ends all that this process started or inherited.
func killDescendants(grace time.Duration) bag {
	self := os.Getpid()
	return hunt{
		members: func() []procEntry {
			if childless() {
				return nil
			}
			return readProcTable().below(func(p procEntry) bool { return p.parent == self })
		},
		reap: func() {
			for {
				pid, err := syscall.Wait4(-1, nil, syscall.WNOHANG, nil)
				if pid <= 0 && !errors.Is(err, syscall.EINTR) {
					return
				}
			}
		},
		grace: grace,
	}.run()
}

// childless reports whether this process has no child, dead or alive. Since it
// reaps for its descendants, it then has no descendant at all.
func childless() bool {
	_, err := peekChild()
	return errors.Is(err, syscall.ECHILD)
}

// peekChild returns a child that has ended and leaves it to be waited for; 0 if
// there is none.
func peekChild() (int, error) {
	var info struct {
		_   [4]int32
		pid int32
		_   [108]byte
	}
	const options = unix.WEXITED | unix.WNOHANG | unix.WNOWAIT | unix.WALL
	for {
		_, _, errno := syscall.Syscall6(syscall.SYS_WAITID, unix.P_ALL, 0, uintptr(unsafe.Pointer(&info)), options, 0, 0)
		switch errno {
		case 0:
			return int(info.pid), nil
		case syscall.EINTR:
		default:
			return 0, errno
		}
	}
}

func byPID(entries []procEntry) map[int]procEntry {
	set := make(map[int]procEntry, len(entries))
	for _, p := range entries {
		set[p.pid] = p
	}
	return set
}

func without(set map[int]procEntry, entries []procEntry) map[int]procEntry {
	for _, p := range entries {
		delete(set, p.pid)
	}
	return set
}

func names(set map[int]procEntry) []string {
	list := make([]procEntry, 0, len(set))
	for _, p := range set {
		list = append(list, p)
	}
	sort.Slice(list, func(a, b int) bool { return list[a].pid < list[b].pid })
	var texts []string
	for _, p := range list {
		texts = append(texts, p.String())
	}
	return texts
}
