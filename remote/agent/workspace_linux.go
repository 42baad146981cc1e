package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"mpf/remote/wire"
)

// A workspace is an attempt's part on this host.
type workspace struct {
	server  *server
	id      uint32
	attempt wire.Attempt
	dir     string
	env     []string // of its processes, but for what a command adds
	slept   time.Duration
	house   bool          // the agent's own, in which helpers run
	sampler *sampler      // or nil
	group   *controlGroup // or nil
	live    *live         // or nil

	mu        sync.Mutex
	processes map[uint32]*process
	marked    bool // see markSudo
}

// openWorkspace makes the folder of an attempt.
func openWorkspace(s *server, id uint32, a wire.Attempt) (*workspace, error) {
	dir := filepath.Join(s.runs, workspaceName(a))
	if err := os.Mkdir(dir, 0o700); err != nil {
		return nil, fmt.Errorf("folder of the run: %w", err)
	}
	w := &workspace{
		server: s, id: id, attempt: a, dir: dir,
		env:       append(s.environ[:len(s.environ):len(s.environ)], tagVariable+"="+a.Tag()),
		slept:     s.slept(),
		processes: map[uint32]*process{},
		group:     s.groups.create(a.Nonce),
	}
	if a.Live {
		w.live = newLive(s.conn)
	}
	return w, nil
}

// workspaceName is the name of an attempt's folder. A nonce is never used twice.
// Several agents of one machine may take part in an attempt.
func workspaceName(a wire.Attempt) string { return fmt.Sprintf("%s-%d", a.Nonce, os.Getpid()) }

// resolve makes a path absolute: relative ones begin in the workspace.
func (w *workspace) resolve(path string) string {
	switch {
	case path == "":
		return w.dir
	case filepath.IsAbs(path):
		return path
	}
	return filepath.Join(w.dir, path)
}

// argv is what is executed for a command, and its environment.
func (w *workspace) argv(c *wire.Command, id uint32) (argv, env []string) {
	tag := commandVariable + "=" + w.commandTag(id)
	env = override(w.env, c.Env, tag)
	if !c.Sudo || w.server.root {
		return c.Argv, env
	}
	return sudoArgv(c, tagVariable+"="+w.attempt.Tag(), tag), env
}

func (w *workspace) commandTag(id uint32) string {
	return w.attempt.Nonce + "/" + strconv.Itoa(int(id))
}

// override sets variables in a copy of env; the last setting of a name wins.
func override(env, more []string, tag string) []string {
	result := make([]string, 0, len(env)+len(more)+1)
	if len(more) == 0 {
		return append(append(result, env...), tag)
	}
	set := make(map[string]bool, len(more))
	for _, pair := range more {
		name, _, _ := strings.Cut(pair, "=")
		set[name] = true
	}
	for _, pair := range env {
		if name, _, _ := strings.Cut(pair, "="); !set[name] {
			result = append(result, pair)
		}
	}
	return append(append(result, more...), tag)
}

// lookup returns the last setting of a variable.
func lookup(env []string, name string) string {
	for i := len(env) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(env[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// processAttributes gives a command a session of its own, and its end when the
// thread that starts it dies with the worker. Helpers are started by threads
// that come and go.
func (w *workspace) processAttributes() *syscall.SysProcAttr {
	if w.house {
		return &syscall.SysProcAttr{Setsid: true}
	}
	attributes := &syscall.SysProcAttr{Setsid: true, Pdeathsig: syscall.SIGKILL}
	if w.group != nil {
		w.group.place(attributes)
	}
	return attributes
}

// newProcess enters a command that is about to start.
func (w *workspace) newProcess(id uint32, c *wire.Command) *process {
	p := &process{owner: w, id: id, name: c.Argv[0], sudo: c.Sudo && !w.server.root, ended: make(chan struct{})}
	p.budget.Store(keptAtAll)
	p.stdout = capture{spoolDir: w.server.runs, budget: &p.budget}
	p.stderr = capture{spoolDir: w.server.runs, budget: &p.budget}
	w.mu.Lock()
	defer w.mu.Unlock()
	w.processes[id] = p
	return p
}

// process finds one that was started.
func (w *workspace) process(id uint32) *process {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.processes[id]
}

// drop forgets a command that nobody can ask for any more.
func (w *workspace) drop(p *process) {
	w.mu.Lock()
	defer w.mu.Unlock()
	delete(w.processes, p.id)
}

func (w *workspace) list() []*process {
	w.mu.Lock()
	defer w.mu.Unlock()
	all := make([]*process, 0, len(w.processes))
	for _, p := range w.processes {
		all = append(all, p)
	}
	sort.Slice(all, func(a, b int) bool { return all[a].id < all[b].id })
	return all
}

// close ends all that the attempt started and removes its folder.
func (w *workspace) close(grace time.Duration) wire.Closed {
	closed := wire.Closed{Suspended: (w.server.slept() - w.slept).Seconds()}
	if w.sampler != nil {
		w.sampler.stop(&closed)
	}
	found := w.killAll(grace)
	closed.Killed, closed.Unkillable = found.killed, found.unkillable
	if found.unkillable == nil {
		w.unmarkSudo()
	}
	for _, p := range w.list() {
		w.server.children.forget(p)
		p.stdout.discard()
		p.stderr.discard()
	}
	if w.group != nil {
		w.group.remove()
	}
	if w.live != nil {
		if n := w.live.dropped.Load(); n > 0 {
			closed.Warnings = append(closed.Warnings, fmt.Sprintf("%d bytes of live output were not shown: the link was too slow", n))
		}
		w.live.close()
	}
	if err := w.removeDir(); err != nil {
		closed.Warnings = append(closed.Warnings, fmt.Sprintf("the run's folder %q stays: %v", w.dir, err))
	}
	return closed
}

// killAll ends every process of the attempt. Strays count as killed even if they
// go when asked to: nobody asked for them.
func (w *workspace) killAll(grace time.Duration) bag {
	s := w.server
	alone := s.onlyWorkspace(w)
	h := hunt{
		members: func() []procEntry {
			return s.children.members(
				func(owner *process) bool { return owner.owner == w },
				func(pid int) bool { return alone || w.owns(pid) })
		},
		reap:  s.children.reap,
		grace: grace,
	}
	strays := w.strays(h.members())
	for _, p := range w.list() {
		p.mark(func() { p.stopped = true })
	}
	found := h.run()
	found.killed = union(strays, found.killed)
	return found
}

// owns reports whether an inherited process belongs to the attempt.
func (w *workspace) owns(pid int) bool {
	return w.server.eyes.tag(pid, tagVariable) == w.attempt.Tag() || w.group != nil && w.group.holds(pid)
}

// strays are the members whose command has ended.
func (w *workspace) strays(members []procEntry) []string {
	waited := map[int]bool{}
	for _, p := range w.list() {
		if !p.isOver() {
			waited[p.pid] = true
		}
	}
	set := map[int]procEntry{}
	for _, m := range members {
		if !waited[m.session] {
			set[m.pid] = m
		}
	}
	return names(set)
}

func union(a, b []string) []string {
	seen := map[string]bool{}
	var all []string
	for _, name := range append(a, b...) {
		if !seen[name] {
			seen[name] = true
			all = append(all, name)
		}
	}
	return all
}

// removeDir removes the folder; what root wrote there needs sudo.
func (w *workspace) removeDir() error {
	err := os.RemoveAll(w.dir)
	if err == nil || w.server.root {
		return err
	}
	if refused := runAlone("sudo", "-n", "--", "rm", "-rf", "--", w.dir); refused != nil {
		return err
	}
	return nil
}
