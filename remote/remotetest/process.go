package remotetest

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// killTree ends a process and all that descends from it, and waits until they
// are over; the process itself is for its parent to wait for.
func killTree(pid int) {
	below := descendants(pid)
	for _, p := range append([]int{pid}, below...) {
		_ = syscall.Kill(p, syscall.SIGKILL)
	}
	for _, p := range below {
		for end := time.Now().Add(5 * time.Second); lives(p) && time.Now().Before(end); {
			time.Sleep(time.Millisecond)
		}
	}
}

// lives reports whether a process is there and not merely waited for.
func lives(pid int) bool {
	content, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "stat"))
	if err != nil {
		return false
	}
	_, state, _ := strings.Cut(string(content), ") ")
	return !strings.HasPrefix(state, "Z")
}

// descendants are the processes below a process.
func descendants(pid int) []int {
	children := map[int][]int{}
	paths, _ := filepath.Glob("/proc/[0-9]*/stat")
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			continue
		}
		// The name in parentheses may hold anything.
		fields := strings.Fields(string(content[strings.LastIndexByte(string(content), ')')+1:]))
		child, _ := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		if len(fields) > 1 {
			parent, _ := strconv.Atoi(fields[1])
			children[parent] = append(children[parent], child)
		}
	}
	var all []int
	for queue := []int{pid}; len(queue) > 0; queue = queue[1:] {
		all = append(all, children[queue[0]]...)
		queue = append(queue, children[queue[0]]...)
	}
	return all
}

func processName(pid int) string {
	content, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "comm"))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(content))
}
