package agent

import (
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

func TestStatOfNamesThatMislead(t *testing.T) {
	line := "42 (a) b (c) S 7 8 9 0 -1 0 1 2 3 4 55 66 5 6 20 0 1 0 77 1000 88 1 2 3"
	p, ok := parseStat([]byte(line))
	want := procEntry{pid: 42, name: "a) b (c", state: 'S', parent: 7, group: 8, session: 9, userTicks: 55, systemTicks: 66, start: 77, rssPages: 88}
	if !ok || p != want {
		t.Errorf("got %+v, %v, want %+v", p, ok, want)
	}
	for _, bad := range []string{"", "42", "42 (a", "42 )a(", "42 (a) S 1"} {
		if p, ok := parseStat([]byte(bad)); ok {
			t.Errorf("%q gave %+v", bad, p)
		}
	}
	me, ok := readProc(os.Getpid())
	if !ok || me.parent != os.Getppid() {
		t.Errorf("this process: %+v, %v", me, ok)
	}
}

func FuzzStat(f *testing.F) {
	f.Add([]byte("1 (x) S 1 1 1 0 -1 0 1 2 3 4 5 6 5 6 20 0 1 0 7 1000 8"))
	f.Fuzz(func(t *testing.T, b []byte) { parseStat(b) })
}

func TestBelowLeavesAncestorsAlone(t *testing.T) {
	me, parent := os.Getpid(), os.Getppid()
	table := procTable{
		1:       {pid: 1},
		parent:  {pid: parent, parent: 1},
		me:      {pid: me, parent: parent},
		1 << 22: {pid: 1 << 22, parent: me, name: "child"},
		2 << 22: {pid: 2 << 22, parent: 1 << 22, name: "grandchild"},
		3 << 22: {pid: 3 << 22, parent: 1, name: "stranger"},
		4 << 22: {pid: 4 << 22, parent: 1 << 22, name: "dead", state: 'Z'},
		5 << 22: {pid: 5 << 22, parent: 6 << 22, name: "loop"},
		6 << 22: {pid: 6 << 22, parent: 5 << 22, name: "loop"},
	}
	got := names(byPID(table.below(func(p procEntry) bool { return p.parent == me || p.pid == 1 || p.pid == me })))
	want := "child (pid 4194304) grandchild (pid 8388608)"
	if strings.Join(got, " ") != want {
		t.Errorf("got %q", got)
	}
}

func TestListeningSockets(t *testing.T) {
	table := []byte(`  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt   uid  timeout inode
   0: 0100007F:1451 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 77 1 0000000000000000 100 0 0 10 0
   1: 0100007F:1452 0100007F:1451 01 00000000:00000000 00:00000000 00000000     0        0 78 1 0000000000000000 20 4 30 10 -1
   2: 00000000000000000000000001000000:0050 00000000000000000000000000000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 79 1
   3: 0200007F:1451 00000000:0000 0A 00000000:00000000 00:00000000 00000000     0        0 80 1 0000000000000000 100 0 0 10 0
`)
	for port, want := range map[int]string{0x1451: "77 80", 0x1452: "", 0x50: "79", 0x51: ""} {
		if got := strings.Join(socketsOf(table, port), " "); got != want {
			t.Errorf("port %d: got %q", port, got)
		}
	}
}

// What does not fit in the budget is counted and nothing after it is kept.
func TestCaptureKeepsTheBeginning(t *testing.T) {
	for _, c := range []struct{ budget, first, second, kept int64 }{
		{100, 50, 20, 70},
		{100, 90, 20, 100},
		{100, 200, 20, 100},
		{0, 10, 10, 0},
		{3 << 20, 2 << 20, 2 << 20, 3 << 20},
	} {
		var budget atomic.Int64
		budget.Store(c.budget)
		k := capture{spoolDir: t.TempDir(), budget: &budget}
		k.Write(bytes.Repeat([]byte("1"), int(c.first)))
		k.Write(bytes.Repeat([]byte("2"), int(c.second)))
		s := k.snapshot()
		if s.size != c.first+c.second || s.kept() != c.kept {
			t.Errorf("%+v: size %d, kept %d", c, s.size, s.kept())
		}
		text := append([]byte(nil), s.head...)
		if s.tail != nil {
			rest, err := io.ReadAll(s.tail)
			if err != nil {
				t.Fatal(err)
			}
			text = append(text, rest...)
		}
		want := append(bytes.Repeat([]byte("1"), int(c.first)), bytes.Repeat([]byte("2"), int(c.second))...)[:c.kept]
		if !bytes.Equal(text, want) {
			t.Errorf("%+v: what was kept is not the beginning", c)
		}
		k.discard()
	}
}

func TestOverride(t *testing.T) {
	got := strings.Join(override([]string{"A=1", "B=2", "C=3"}, []string{"B=x", "D=4", "B=y"}, "T=t"), " ")
	if got != "A=1 C=3 B=x D=4 B=y T=t" {
		t.Errorf("got %q", got)
	}
	if v := lookup(strings.Fields(got), "B"); v != "y" {
		t.Errorf("B is %q", v)
	}
}

func TestHuntStopsWhatResists(t *testing.T) {
	alive := []procEntry{{pid: 1 << 30, name: "ghost"}}
	asked := 0
	h := hunt{
		members: func() []procEntry {
			if asked++; asked > 5 {
				return nil
			}
			return alive
		},
		reap:  func() {},
		grace: time.Millisecond,
	}
	if found := h.run(); len(found.unkillable) > 0 {
		t.Errorf("got %+v", found)
	}
}

func TestLockFileThatIsNone(t *testing.T) {
	dir := t.TempDir()
	target := filepath.Join(dir, "target")
	if err := os.WriteFile(target, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(target, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{link, dir} {
		t.Setenv(hostLockVariable, path)
		if err := lockHost(false, func(int) string { return "" }); err == nil {
			t.Errorf("%q became a lock", path)
		}
	}
	t.Setenv(hostLockVariable, filepath.Join(dir, "lock"))
	if err := lockHost(false, func(int) string { return "" }); err != nil {
		t.Fatal(err)
	}
	if err := lockHost(false, func(int) string { return "campaign" }); err == nil || !strings.Contains(err.Error(), "campaign") {
		t.Errorf("a second lock: %v", err)
	}
	info, err := os.Stat(filepath.Join(dir, "lock"))
	if err != nil || info.Mode().Perm() != 0o444 {
		t.Errorf("%v, %v", info, err)
	}
}

// How long the host slept since it booted does not matter: only that it slept
// while a command ran.
func TestACommandTellsThatItsHostSlept(t *testing.T) {
	const before = 48 * time.Hour
	for _, nap := range []time.Duration{0, time.Hour} {
		s := &server{slept: func() time.Duration { return before + nap }}
		p := &process{owner: &workspace{server: s}, started: time.Now(), slept: before, ended: make(chan struct{})}
		p.finish()
		if p.exit.Suspended != nap.Seconds() {
			t.Errorf("after a nap of %s: %g s", nap, p.exit.Suspended)
		}
	}
}

// An agent whose controller was killed may still be about to begin when the next
// controller's agent has begun.
func TestALaterAgentIsNoPredecessor(t *testing.T) {
	later := exec.Command("sleep", "1000")
	if err := later.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = later.Process.Kill()
		_ = later.Wait()
	})
	began, _ := readProc(later.Process.Pid)
	s := &server{home: t.TempDir()}
	s.hello.Campaign = "campaign"
	if err := os.MkdirAll(s.recordsDir(), 0o700); err != nil {
		t.Fatal(err)
	}
	path := s.recordPath()
	text := fmt.Sprintf(`{"worker": %d, "worker_start": %d}`, began.pid, began.start)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	s.endPredecessors()
	if now, there := readProc(began.pid); !there || now.dead() {
		t.Error("an agent that began later was killed")
	}
	if _, err := os.Stat(path); err != nil {
		t.Error(err)
	}
}
