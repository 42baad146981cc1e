package agent

import (
	"bytes"
	"fmt"
	"os"
	"strconv"
	"syscall"
)

// A procEntry is what /proc/PID/stat says of a process.
type procEntry struct {
	pid, parent, group, session int
	state                       byte
	name                        string
	start                       uint64 // in ticks since boot: with the pid, its identity
	userTicks, systemTicks      int64
	rssPages                    int64
}

func (p procEntry) String() string { return fmt.Sprintf("%s (pid %d)", p.name, p.pid) }

func (p procEntry) dead() bool { return p.state == 'Z' || p.state == 'X' }

// A procTable is a look at all processes.
type procTable map[int]procEntry

// readProcTable looks at /proc. Processes that end meanwhile may be missing.
func readProcTable() procTable {
	pids := allPIDs()
	table := make(procTable, len(pids))
	for _, pid := range pids {
		if entry, ok := readProc(pid); ok {
			table[pid] = entry
		}
	}
	return table
}

// allPIDs are the numbers of all processes.
func allPIDs() []int {
	names := namesIn("/proc")
	pids := make([]int, 0, len(names))
	for _, name := range names {
		if pid, err := strconv.Atoi(name); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids
}

func readProc(pid int) (procEntry, bool) {
	var buffer [1024]byte
	n := readSmall("/proc/"+strconv.Itoa(pid)+"/stat", buffer[:])
	return parseStat(buffer[:n])
}

// readSmall reads the start of a file of /proc with as few calls as can be.
func readSmall(path string, p []byte) int {
	fd, err := syscall.Open(path, syscall.O_RDONLY|syscall.O_CLOEXEC, 0)
	if err != nil {
		return 0
	}
	defer syscall.Close(fd)
	n, err := syscall.Read(fd, p)
	if err != nil {
		return 0
	}
	return n
}

// parseStat reads a stat line. The name stands in parentheses and may hold
// anything, parentheses too.
func parseStat(b []byte) (procEntry, bool) {
	open, end := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if open < 0 || end < open {
		return procEntry{}, false
	}
	fields := bytes.Fields(b[end+1:])
	if len(fields) < 22 {
		return procEntry{}, false
	}
	number := func(s []byte) int64 {
		n, _ := strconv.ParseInt(string(s), 10, 64) // the kernel writes numbers
		return n
	}
	return procEntry{
		pid:         int(number(bytes.TrimSpace(b[:open]))),
		name:        string(b[open+1 : end]),
		state:       fields[0][0],
		parent:      int(number(fields[1])),
		group:       int(number(fields[2])),
		session:     int(number(fields[3])),
		userTicks:   number(fields[11]),
		systemTicks: number(fields[12]),
		start:       uint64(number(fields[19])),
		rssPages:    number(fields[21]),
	}, true
}

// below lists the living processes of the table that are, or descend from, one
// for which root holds. Neither the agent itself nor what it descends from is
// ever among them.
func (t procTable) below(root func(procEntry) bool) []procEntry {
	mine := t.ancestry(os.Getpid())
	verdict := make(map[int]bool, len(t))
	var decide func(pid, depth int) bool
	decide = func(pid, depth int) bool {
		if known, ok := verdict[pid]; ok {
			return known
		}
		entry, ok := t[pid]
		if !ok || mine[pid] || depth > len(t) {
			return false
		}
		is := root(entry) || decide(entry.parent, depth+1)
		verdict[pid] = is
		return is
	}
	var found []procEntry
	for pid, entry := range t {
		if decide(pid, 0) && !entry.dead() {
			found = append(found, entry)
		}
	}
	return found
}

// ancestry is a process and all that it descends from.
func (t procTable) ancestry(pid int) map[int]bool {
	set := map[int]bool{}
	for pid > 0 && !set[pid] {
		set[pid] = true
		pid = t[pid].parent
	}
	return set
}
