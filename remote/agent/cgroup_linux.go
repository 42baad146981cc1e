package agent

import (
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// controlGroups is the place where this agent may make control groups of its
// own; empty where the host gives it none. They are one more way to find and to
// kill what an attempt started, never the only one.
type controlGroups struct{ dir string }

// findControlGroups tries: the place is the agent's own group in the second
// version's hierarchy, where groups can be killed whole.
func findControlGroups() controlGroups {
	root, own := cgroupMount(), ownCgroup()
	if root == "" || own == "" {
		return controlGroups{}
	}
	probe := filepath.Join(root, own, fmt.Sprintf("mpf-%d", os.Getpid()))
	if err := os.Mkdir(probe, 0o755); err != nil {
		return controlGroups{}
	}
	defer os.Remove(probe) // it is empty
	if _, err := os.Stat(filepath.Join(probe, "cgroup.kill")); err != nil {
		return controlGroups{}
	}
	return controlGroups{dir: filepath.Join(root, own)}
}

func cgroupMount() string {
	text, err := os.ReadFile("/proc/self/mounts")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) > 2 && words[2] == "cgroup2" {
			return words[1]
		}
	}
	return ""
}

func ownCgroup() string {
	text, err := os.ReadFile("/proc/self/cgroup")
	if err != nil {
		return ""
	}
	for line := range strings.Lines(string(text)) {
		if path, ok := strings.CutPrefix(strings.TrimSpace(line), "0::"); ok {
			return path
		}
	}
	return ""
}

// A controlGroup holds the processes of one attempt.
type controlGroup struct {
	path string
	dir  *os.File
}

// create makes the group of an attempt; nil where that cannot be.
func (c controlGroups) create(nonce string) *controlGroup {
	if c.dir == "" {
		return nil
	}
	path := filepath.Join(c.dir, fmt.Sprintf("mpf-%d-%s", os.Getpid(), nonce))
	if err := os.Mkdir(path, 0o755); err != nil {
		return nil
	}
	dir, err := os.Open(path)
	if err != nil {
		return nil
	}
	return &controlGroup{path: path, dir: dir}
}

// place makes a process start inside.
func (g *controlGroup) place(a *syscall.SysProcAttr) {
	a.UseCgroupFD, a.CgroupFD = true, int(g.dir.Fd())
}

// holds reports whether a process is inside.
func (g *controlGroup) holds(pid int) bool {
	text, err := os.ReadFile(filepath.Join(g.path, "cgroup.procs"))
	if err != nil {
		return false
	}
	want := strconv.Itoa(pid)
	for line := range strings.Lines(string(text)) {
		if strings.TrimSpace(line) == want {
			return true
		}
	}
	return false
}

// remove kills what is left inside and removes the group.
func (g *controlGroup) remove() {
	g.dir.Close()
	for range 50 {
		if os.Remove(g.path) == nil {
			return
		}
		// A kernel that does not take it leaves the other ways to kill.
		_ = os.WriteFile(filepath.Join(g.path, "cgroup.kill"), []byte("1"), 0o200)
		time.Sleep(2 * time.Millisecond)
	}
}
