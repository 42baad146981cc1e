package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"

	"mpf/remote/wire"
)

// greet takes the controller's hello, makes this agent the only one that acts
// for it, and answers.
func (s *server) greet() error {
	m, err := s.conn.Receive()
	if err != nil {
		return err
	}
	if m.Type != wire.Hello {
		return &wire.ProtocolError{What: fmt.Sprintf("a message of type %d before the hello", m.Type)}
	}
	if err := m.Decode(&s.hello); err != nil {
		return err
	}
	if s.hello.Beat <= 0 || s.hello.Lease <= s.hello.Beat || s.hello.Grace < 0 {
		return &wire.ProtocolError{What: "a hello with times that make no sense"}
	}
	s.grace = s.hello.Grace
	if err := s.takeHost(); err != nil {
		return err
	}
	s.writeRecord()
	if s.sudoWasUsed() {
		s.eyes.open()
	}
	answer := wire.AgentHello{BootID: bootID(), PID: os.Getpid(), UID: os.Getuid(), User: os.Getenv("USER")}
	found := s.sweep(s.orphaned)
	answer.Swept, answer.Left = found.killed, found.unkillable
	if answer.Left == nil {
		s.removeOldRuns()
	}
	answer.Restored = s.restoreLeft()
	return s.conn.SendJSON(wire.Hello, 0, answer, nil)
}

// takeHost ends earlier agents of this campaign and locks the host. A holder that
// left no record of another campaign has only begun, or is about to be gone: its
// controller was killed a moment ago. That is waited for.
func (s *server) takeHost() error {
	var refused error
	strange := false
	describe := func(pid int) string {
		who, ours := s.describeHolder(pid)
		strange = who == "" || ours
		return who
	}
	deadline := time.Now().Add(shortGrace)
	return poll(func() bool {
		s.endPredecessors()
		strange = false
		if s.hello.Covered {
			return true
		}
		refused = lockHost(s.hello.Shared, describe)
		return refused == nil
	}, func() error {
		if strange && time.Now().Before(deadline) {
			return nil
		}
		return refused
	})
}

func bootID() string {
	text, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(text))
}

// A record tells the next agent of a campaign on a host about this one.
type record struct {
	Engine      string `json:"engine"`
	Worker      int    `json:"worker"`
	WorkerStart uint64 `json:"worker_start"`
	Guard       int    `json:"guard"`
	GuardStart  uint64 `json:"guard_start"`
}

func (s *server) recordsDir() string { return filepath.Join(s.home, "agents") }

// recordPrefix stands for the campaign and the host's name in it: a machine may
// have several names, each with an agent.
func (s *server) recordPrefix() string {
	sum := sha256.Sum256([]byte(s.hello.Campaign + "\x00" + s.hello.Host))
	return hex.EncodeToString(sum[:12]) + "-"
}

// writeRecord tries: without it a later agent has to wait for the lease.
func (s *server) writeRecord() {
	worker, _ := readProc(os.Getpid())
	guard, _ := readProc(os.Getppid())
	text, err := json.Marshal(record{
		Engine: s.hello.Engine,
		Worker: worker.pid, WorkerStart: worker.start,
		Guard: guard.pid, GuardStart: guard.start,
	})
	if err != nil || os.MkdirAll(s.recordsDir(), 0o700) != nil {
		return
	}
	_ = os.WriteFile(s.recordPath(), text, 0o600)
}

func (s *server) recordPath() string {
	return filepath.Join(s.recordsDir(), s.recordPrefix()+strconv.Itoa(os.Getpid()))
}

func (s *server) removeRecord() {
	_ = os.Remove(s.recordPath()) // there may be none
}

// records reads what agents wrote about themselves, by file.
func (s *server) records(prefix string) map[string]record {
	found := map[string]record{}
	for _, name := range namesIn(s.recordsDir()) {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		var r record
		path := filepath.Join(s.recordsDir(), name)
		if text, err := os.ReadFile(path); err == nil && json.Unmarshal(text, &r) == nil {
			found[path] = r
		}
	}
	return found
}

// endPredecessors kills agents of this campaign that an earlier invocation, or a
// link that broke, left on this host. Their guards kill what they ran. One that
// began later is no predecessor: it is this agent whose controller is gone.
func (s *server) endPredecessors() {
	if s.hello.Campaign == "" {
		return
	}
	self, _ := readProc(os.Getpid())
	for path, r := range s.records(s.recordPrefix()) {
		if r.follows(self) {
			continue
		}
		// One that is gone already gives an error that means nothing.
		_ = signalOwn(procEntry{pid: r.Worker, start: r.WorkerStart}, syscall.SIGKILL)
		waitGone(r.Guard, r.GuardStart, hopeless)
		_ = signalOwn(procEntry{pid: r.Guard, start: r.GuardStart}, syscall.SIGKILL)
		_ = os.Remove(path)
	}
}

// follows reports whether the agent of a record runs and began after a process.
func (r record) follows(p procEntry) bool {
	worker, there := readProc(r.Worker)
	later := worker.start > p.start || worker.start == p.start && worker.pid > p.pid
	return there && worker.start == r.WorkerStart && later
}

func waitGone(pid int, start uint64, limit time.Duration) {
	deadline := time.Now().Add(limit)
	_ = poll(func() bool {
		now, ok := readProc(pid)
		return !ok || now.start != start || now.dead()
	}, func() error {
		if time.Now().After(deadline) {
			return os.ErrDeadlineExceeded
		}
		return nil
	})
}

// livingAgents are the pids of this user's agents that run, and of their guards.
func (s *server) livingAgents() map[int]bool {
	alive := map[int]bool{}
	for path, r := range s.records("") {
		worker, workerThere := readProc(r.Worker)
		guard, guardThere := readProc(r.Guard)
		workerThere = workerThere && worker.start == r.WorkerStart
		guardThere = guardThere && guard.start == r.GuardStart
		if workerThere || guardThere {
			alive[r.Worker], alive[r.Guard] = workerThere, guardThere
		} else {
			_ = os.Remove(path) // another agent may have done so
		}
	}
	return alive
}

// describeHolder says who the agent with that pid acts for, and whether that is
// this agent's campaign.
func (s *server) describeHolder(pid int) (engine string, ours bool) {
	for path, r := range s.records("") {
		if r.Worker == pid {
			return r.Engine, strings.HasPrefix(filepath.Base(path), s.recordPrefix())
		}
	}
	return "", false
}
