package agent

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"mpf/remote/wire"
)

// A server is the worker's state: one controller, its workspaces and calls.
type server struct {
	conn     *wire.Conn
	loop     *loop
	children *children
	stock    pipeStock
	buffer   []byte // of the loop, for output
	null     int    // /dev/null, open
	root     bool
	environ  []string
	home     string // of this user on this machine, below ~/.cache/mpf
	runs     string // folders of attempts
	groups   controlGroups
	eyes     eyes
	hello    wire.ControllerHello
	grace    time.Duration
	slept    func() time.Duration // how long the host was suspended since it booted
	ending   sync.Once
	mute     atomic.Bool // calls are no longer answered
	kept     atomic.Bool // a keeper was asked for

	mu         sync.Mutex
	workspaces map[uint32]*workspace
	calls      map[uint32]*call
}

// A call is a request that was not answered yet.
type call struct {
	stream *wire.Stream // of the operations that have one
	cancel func()       // or nil
}

// work is the worker's life.
func work() (int, error) {
	// Children are told of the end of the thread that started them, so all are
	// started by this one, which lives as long as the worker.
	runtime.LockOSThread()
	resetLateness()
	muteChildren()
	// Where it was set, Go does not look every second whether it still holds.
	runtime.GOMAXPROCS(runtime.GOMAXPROCS(0))
	syscall.CloseOnExec(keeperDescriptor)
	s, err := newServer()
	if err != nil {
		return exitFailed, err
	}
	stop := make(chan struct{})
	defer close(stop)
	if err := s.greet(); err != nil {
		// The controller is told; should it be gone, nobody is left to tell.
		_ = s.conn.SendJSON(wire.Fault, 0, asError(err), nil)
		return exitFailed, err
	}
	go s.watchController(stop)
	err = s.serve()
	s.end(outcomeOf(err))
	if err != nil && !errors.Is(err, io.EOF) {
		_ = s.conn.SendJSON(wire.Fault, 0, asError(err), nil)
		return exitFailed, err
	}
	return exitOK, nil
}

func newServer() (*server, error) {
	if err := becomeReaper(); err != nil {
		return nil, err
	}
	null, err := syscall.Open("/dev/null", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return nil, fmt.Errorf("/dev/null: %w", err)
	}
	loop, err := newLoop()
	if err != nil {
		return nil, err
	}
	s := &server{
		conn:       wire.NewConn(fdStream{in: stdin}, fdStream{out: stdout}),
		loop:       loop,
		buffer:     make([]byte, 64<<10),
		children:   newChildren(),
		null:       null,
		root:       os.Geteuid() == 0,
		environ:    os.Environ(),
		grace:      5 * time.Second,
		slept:      sleepClock(),
		workspaces: map[uint32]*workspace{},
		calls:      map[uint32]*call{},
	}
	s.conn.Hold(loop.here) // the messages of one turn go together
	s.groups = findControlGroups()
	return s, s.makeFolders()
}

// makeFolders finds a place that is this user's alone. A home may be that of
// several machines: each has a folder there.
func (s *server) makeFolders() error {
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	err = s.useFolder(filepath.Join(cache, "mpf"))
	if err != nil {
		err = s.useFolder(filepath.Join(os.TempDir(), fmt.Sprintf("mpf-%d", os.Getuid())))
	}
	return err
}

func (s *server) useFolder(dir string) error {
	s.home = filepath.Join(dir, machineName())
	s.runs = filepath.Join(s.home, "runs")
	if err := os.MkdirAll(s.runs, 0o700); err != nil {
		return err
	}
	return private(dir)
}

// machineName tells machines that share a home apart.
func machineName() string {
	id, err := os.ReadFile("/etc/machine-id")
	if err != nil {
		id = nil // then its name has to do
	}
	name, err := os.Hostname()
	if err != nil {
		name = "unnamed"
	}
	sum := sha256.Sum256(append(id, name...))
	return "host-" + hex.EncodeToString(sum[:6])
}

// private makes sure that a folder is this user's and nobody else may enter.
func private(dir string) error {
	info, err := os.Lstat(dir)
	if err != nil {
		return err
	}
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !info.IsDir() || !ok || int(stat.Uid) != os.Getuid() {
		return fmt.Errorf("%q belongs to somebody else", dir)
	}
	return os.Chmod(dir, 0o700)
}

// serve takes messages until the controller is gone.
func (s *server) serve() error {
	err := s.takeBuffered() // what came with the hello
	if err != nil {
		return err
	}
	watchErr := s.loop.watch(stdin, func() {
		if err = s.conn.Fill(); err == nil {
			err = s.takeBuffered()
		}
	})
	if watchErr != nil {
		return fmt.Errorf("wait for the controller: %w", watchErr)
	}
	return errors.Join(s.loop.run(func() bool { return err == nil }, s.turned), err)
}

func (s *server) takeBuffered() error {
	for {
		m, ok, err := s.conn.Buffered()
		if !ok {
			return err
		}
		if err := s.take(m); err != nil {
			return err
		}
	}
}

// take handles one message. An error ends the link.
func (s *server) take(m wire.Message) error {
	switch m.Type {
	case wire.Beat:
		return nil
	case wire.Call:
		var r wire.Request
		if err := m.Decode(&r); err != nil {
			return err
		}
		return s.begin(m.ID, &r, m.Body)
	case wire.Cancel:
		s.cancel(m.ID)
		return nil
	case wire.Data, wire.End, wire.Credit:
		return s.deliver(m)
	}
	return &wire.ProtocolError{What: fmt.Sprintf("a message of type %d from the controller", m.Type)}
}

// deliver hands a message to its stream. The stream may be over by now.
func (s *server) deliver(m wire.Message) error {
	s.mu.Lock()
	c := s.calls[m.ID]
	s.mu.Unlock()
	if c == nil || c.stream == nil {
		return nil
	}
	return c.stream.Deliver(m)
}

func (s *server) cancel(id uint32) {
	s.mu.Lock()
	c := s.calls[id]
	s.mu.Unlock()
	if c == nil {
		return
	}
	if c.stream != nil {
		c.stream.Break(errors.New("cancelled"))
	}
	if c.cancel != nil {
		go c.cancel()
	}
}

func (s *server) enter(id uint32, c *call) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, used := s.calls[id]; used {
		return &wire.ProtocolError{What: fmt.Sprintf("call %d begins twice", id)}
	}
	s.calls[id] = c
	return nil
}

func (s *server) leave(id uint32) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.calls, id)
}

// reply answers a call. A link that is broken shows in Receive.
func (s *server) reply(id uint32, r wire.Response, body []byte) {
	s.leave(id)
	if s.mute.Load() {
		return
	}
	_ = s.conn.SendJSON(wire.Reply, id, &r, body)
}

// turned sends what the loop's handlers left, and does then what somebody would
// wait for otherwise.
func (s *server) turned() {
	s.flush()
	s.stock.fill()
}

// flush sends what the loop's handlers left.
func (s *server) flush() { _ = s.conn.Flush() }

func (s *server) refuse(id uint32, err error) {
	s.reply(id, wire.Response{Error: asError(err)}, nil)
}

func (s *server) workspace(id uint32) (*workspace, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if w := s.workspaces[id]; w != nil {
		return w, nil
	}
	return nil, &wire.ProtocolError{What: fmt.Sprintf("no workspace %d", id)}
}

// onlyWorkspace reports whether every process below this agent must belong to w.
func (s *server) onlyWorkspace(w *workspace) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return len(s.workspaces) == 0 || len(s.workspaces) == 1 && s.workspaces[w.id] == w
}
