package agent

import (
	"maps"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"mpf/remote/wire"
)

// sweep kills processes by their tag, wherever they hang in the tree, and names
// them.
func (s *server) sweep(members func() []procEntry) bag {
	swept := names(byPID(members()))
	found := hunt{members: members, reap: s.children.reap}.run()
	found.killed = union(swept, found.killed)
	return found
}

// isAgent reports whether a process is an agent by its command line: one of
// another user, or of another home, has its record where it is not found. That of
// a program for another processor begins with its emulator.
func isAgent(pid int) bool {
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	args := strings.Split(strings.TrimSuffix(string(line), "\x00"), "\x00")
	return err == nil && (Invoked(args) || Invoked(args[1:]))
}

// orphaned lists tagged processes that no living agent looks after. A container's
// processes are seen from the machine that carries it; they are another host's,
// with agents that are not seen.
func (s *server) orphaned() []procEntry {
	tags := s.eyes.all(tagVariable)
	if len(tags) == 0 {
		return nil
	}
	alive := s.livingAgents()
	alive[os.Getpid()] = true
	here := s.eyes.namespace(os.Getpid())
	table := readProcTable()
	kept := byPID(table.below(func(p procEntry) bool { return alive[p.parent] || alive[p.pid] || isAgent(p.pid) }))
	return table.below(func(p procEntry) bool {
		_, looked := kept[p.pid]
		return !looked && tags[p.pid] != "" && s.eyes.namespace(p.pid) == here
	})
}

// tagged lists the processes of an attempt.
func (s *server) tagged(a wire.Attempt) []procEntry {
	tags := s.eyes.all(tagVariable)
	maps.DeleteFunc(tags, func(_ int, tag string) bool { return tag != a.Tag() })
	if len(tags) == 0 {
		return nil
	}
	return readProcTable().below(func(p procEntry) bool { return tags[p.pid] != "" })
}

// fence makes sure that nothing of an attempt is left.
func (s *server) fence(id uint32, a wire.Attempt) {
	found := s.sweep(func() []procEntry { return s.tagged(a) })
	earlier := s.takeOutcome(a.Nonce)
	for _, dir := range s.foldersOf(a) {
		// One that resists is a file of root's: it does no harm.
		_ = os.RemoveAll(dir)
	}
	s.reply(id, wire.Response{Fenced: &wire.Fenced{
		Killed: union(earlier.Killed, found.killed), Left: found.unkillable,
	}}, nil)
}

func (s *server) foldersOf(a wire.Attempt) []string {
	var dirs []string
	for _, name := range namesIn(s.runs) {
		if strings.HasPrefix(name, a.Nonce+"-") {
			dirs = append(dirs, filepath.Join(s.runs, name))
		}
	}
	return dirs
}

// removeOldRuns removes folders of attempts whose agent is gone. Their names end
// with its pid.
func (s *server) removeOldRuns() {
	names := namesIn(s.runs)
	if len(names) == 0 {
		return
	}
	alive := s.livingAgents()
	for _, name := range names {
		pid, err := strconv.Atoi(name[strings.LastIndexByte(name, '-')+1:])
		if err != nil || !alive[pid] {
			// One that resists is a file of root's: it does no harm.
			_ = os.RemoveAll(filepath.Join(s.runs, name))
		}
	}
}

// helperLimit bounds what the agent runs for itself.
const helperLimit = 10 * time.Second

// newHouse makes a workspace for the agent's own programs.
func (s *server) newHouse() *workspace {
	return &workspace{server: s, dir: s.home, env: s.environ, processes: map[uint32]*process{}, house: true}
}

// helper runs a program of the agent's own and returns what it printed, on
// stderr if it printed nothing else. It needs the loop.
func (s *server) helper(argv ...string) (string, error) {
	house := s.newHouse()
	c := &wire.Command{Argv: argv}
	p := house.newProcess(0, c)
	if err := p.start(c, nil); err != nil {
		return "", err
	}
	p.after(helperLimit, p.expire)
	<-p.ended
	defer s.children.forget(p)
	out := string(p.stdout.snapshot().head)
	if out == "" {
		out = string(p.stderr.snapshot().head)
	}
	if p.exit.Code != 0 {
		return out, failed("%q ended with %s: %q", argv[0], exitText(p.exit), p.lastWords())
	}
	return out, nil
}
