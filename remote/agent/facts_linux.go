package agent

import (
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"

	"mpf/remote/wire"
)

// facts answers with what only the host itself can tell. The controller adds
// what it finds in files.
func (s *server) facts(id uint32, tools []string) {
	f := facts{}
	f.system()
	f.clock()
	f.heavy()
	s.tools(f, tools)
	s.reply(id, wire.Response{Facts: f}, nil)
}

// facts are values by name.
type facts map[string]any

func (f facts) system() {
	var u unix.Utsname
	if unix.Uname(&u) == nil {
		f["hostname"] = unix.ByteSliceToString(u.Nodename[:])
		f["kernel"] = unix.ByteSliceToString(u.Release[:])
		f["kernel_version"] = unix.ByteSliceToString(u.Version[:])
		f["machine"] = unix.ByteSliceToString(u.Machine[:])
	}
	f["user"] = strconv.Itoa(os.Getuid())
	f["agent_go"] = runtime.Version()
	var stat syscall.Statfs_t
	if syscall.Statfs(os.TempDir(), &stat) == nil {
		f["temporary_free_bytes"] = int64(stat.Bavail) * stat.Bsize
	}
}

func (f facts) clock() {
	var t unix.Timex
	state, err := unix.Adjtimex(&t)
	if err != nil {
		return
	}
	// The kernel says 5 where nobody keeps its clock right.
	f["clock_synchronised"] = state != 5
	f["clock_error_seconds"] = float64(t.Maxerror) / 1e6
}

func fileText(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}

// heavy lists processes of others that have used a twentieth of a CPU or more
// since they started, or hold a twentieth of the memory: an experiment shares
// the host with them.
func (f facts) heavy() {
	const share, ticksPerSecond = 0.05, 100
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return
	}
	up, total := float64(info.Uptime), float64(info.Totalram)*float64(info.Unit)
	table := readProcTable()
	mine := table.ancestry(os.Getpid())
	list := []string{}
	for pid, p := range table {
		age := up - float64(p.start)/ticksPerSecond
		cpu := float64(p.userTicks+p.systemTicks) / ticksPerSecond
		large := float64(p.rssPages)*float64(os.Getpagesize()) > share*total
		if !mine[pid] && (large || age > 1 && cpu/age > share) {
			list = append(list, p.name)
		}
	}
	slices.Sort(list)
	f["heavy_processes"] = slices.Compact(list)
}

// tools asks programs for their versions, all at once.
func (s *server) tools(f facts, names []string) {
	var mu sync.Mutex
	var all sync.WaitGroup
	for _, name := range names {
		all.Go(func() {
			version := s.versionOf(name)
			mu.Lock()
			defer mu.Unlock()
			f["tool_"+name] = version
		})
	}
	all.Wait()
}

// versionOf is the first line of what a program says of its version; empty
// where there is no such program.
func (s *server) versionOf(name string) string {
	if _, err := lookPath(name, s.environ, "/"); err != nil {
		return ""
	}
	for _, flag := range []string{"--version", "-V", "-version", "version"} {
		out, err := s.helper(name, flag)
		if line, _, _ := strings.Cut(strings.TrimSpace(out), "\n"); err == nil && line != "" {
			return line
		}
	}
	return "unknown"
}
