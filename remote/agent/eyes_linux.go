package agent

import (
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"
)

// eyes read the tags of processes. Root's processes show theirs to root only: an
// agent of another user looks through sudo, but only where sudo was used.
type eyes struct {
	mu     sync.Mutex
	asRoot bool
	seen   map[int]sighting
}

// A sighting is what root saw of a process.
type sighting struct {
	start        uint64
	run, command string
	namespace    string // of its pid
}

// open lets them look through sudo from now on.
func (e *eyes) open() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.asRoot = true
}

// tag returns the value of a tag of a process; empty where it has none or is not
// seen.
func (e *eyes) tag(pid int, variable string) string {
	if tag := tagOf(pid, variable); tag != "" || !e.throughSudo() || !foreign(pid) {
		return tag
	}
	e.learn([]int{pid})
	return e.learnt(pid, variable)
}

// all returns the tags of all processes that have one.
func (e *eyes) all(variable string) map[int]string {
	tags := allTags(variable)
	if !e.throughSudo() {
		return tags
	}
	var others []int
	for _, pid := range allPIDs() {
		if tags[pid] == "" && foreign(pid) {
			others = append(others, pid)
		}
	}
	e.learn(others)
	for _, pid := range others {
		if tag := e.learnt(pid, variable); tag != "" {
			tags[pid] = tag
		}
	}
	return tags
}

func (e *eyes) throughSudo() bool {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.asRoot
}

// foreign reports whether a process is another user's.
func foreign(pid int) bool {
	var stat syscall.Stat_t
	return syscall.Stat("/proc/"+strconv.Itoa(pid), &stat) == nil && int(stat.Uid) != os.Getuid()
}

// learnt returns a tag that root saw. The command line of sudo itself can be read
// by everybody.
func (e *eyes) learnt(pid int, variable string) string {
	if saw, ok := e.look(pid); ok {
		if variable == tagVariable {
			return saw.run
		}
		return saw.command
	}
	line, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
	if err != nil {
		return ""
	}
	return tagIn(line, variable)
}

// namespace names the pid namespace of a process; empty where it is not seen.
func (e *eyes) namespace(pid int) string {
	name, err := os.Readlink("/proc/" + strconv.Itoa(pid) + "/ns/pid")
	if err == nil {
		return name
	}
	saw, _ := e.look(pid)
	return saw.namespace
}

// look returns what root saw of a process.
func (e *eyes) look(pid int) (sighting, bool) {
	now, _ := readProc(pid)
	e.mu.Lock()
	defer e.mu.Unlock()
	saw, ok := e.seen[pid]
	return saw, ok && saw.start == now.start
}

// learn looks at those of the processes that were not seen yet, all at once.
func (e *eyes) learn(pids []int) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if !e.asRoot {
		return
	}
	var words []string
	starts := map[int]uint64{}
	for _, pid := range pids {
		now, ok := readProc(pid)
		if !ok || e.seen[pid].start == now.start {
			continue
		}
		starts[pid] = now.start
		words = append(words, strconv.Itoa(pid))
	}
	if len(words) == 0 {
		return
	}
	out, err := outputAlone(append([]string{"sudo", "-n", "--", "sh", "-c", lookScript, "look"}, words...)...)
	if err != nil {
		return // sudo no longer lets it: what it said of command lines has to do
	}
	if e.seen == nil {
		e.seen = map[int]sighting{}
	}
	for _, line := range strings.Split(string(out), "\n") {
		fields := strings.Split(line, " ")
		if pid, err := strconv.Atoi(fields[0]); err == nil && len(fields) == 4 && starts[pid] != 0 {
			e.seen[pid] = sighting{start: starts[pid], namespace: fields[1], run: fields[2], command: fields[3]}
		}
	}
}

// lookScript prints a line for each pid: it, its pid namespace, its tags.
const lookScript = `for p; do
environ=$(tr "\000" "\n" <"/proc/$p/environ") 2>/dev/null || continue
printf "%s %s %s %s\n" "$p" "$(readlink "/proc/$p/ns/pid")" \
	"$(printf "%s\n" "$environ" | sed -n "s/^` + tagVariable + `=//p" | head -n 1)" \
	"$(printf "%s\n" "$environ" | sed -n "s/^` + commandVariable + `=//p" | head -n 1)"
done 2>/dev/null`
