package client

import (
	"context"
	"errors"
	"io"
	"sync"
	"time"

	"golang.org/x/crypto/ssh"
)

// A Session is one command on a host.
type Session struct {
	io.Reader // its stdout
	io.Writer // its stdin

	conn    *Conn
	session *ssh.Session
	stdin   io.Closer
	stderr  *tail
	over    chan struct{} // closed when the command ended, as result says
	result  error
}

// Start executes a command by the login shell of the user.
func (c *Conn) Start(ctx context.Context, command string) (*Session, error) {
	s, err := c.open(ctx, func(s *ssh.Session) error { return s.Start(command) })
	if err != nil {
		return nil, err
	}
	s.over = make(chan struct{})
	go func() {
		s.result = s.session.Wait()
		close(s.over)
	}()
	return s, nil
}

// Subsystem begins a subsystem of sshd, such as sftp.
func (c *Conn) Subsystem(ctx context.Context, name string) (*Session, error) {
	return c.open(ctx, func(s *ssh.Session) error { return s.RequestSubsystem(name) })
}

func (c *Conn) open(ctx context.Context, begin func(*ssh.Session) error) (*Session, error) {
	stop := context.AfterFunc(ctx, func() { _ = c.Close() })
	defer stop()
	s := &Session{conn: c, stderr: &tail{}}
	var err error
	if s.session, err = c.newSession(ctx); err != nil {
		return nil, c.why(ctx, err)
	}
	stdin, inErr := s.session.StdinPipe()
	stdout, outErr := s.session.StdoutPipe()
	s.Reader, s.Writer, s.stdin = stdout, stdin, stdin
	s.session.Stderr = s.stderr
	if err := errors.Join(inErr, outErr, begin(s.session)); err != nil {
		_ = s.session.Close()
		return nil, c.why(ctx, err)
	}
	return s, nil
}

// lingering is how long a server may count a session that was closed: it waits
// for the end of what it ran there.
const lingering = 5 * time.Second

// newSession opens a session. A server that refuses it just after another one
// was closed is asked again: it may allow one only.
func (c *Conn) newSession(ctx context.Context) (*ssh.Session, error) {
	for pause := 5 * time.Millisecond; ; pause *= 2 {
		session, err := c.client.NewSession()
		err = sessionError(err)
		var refused *SessionsError
		closed := c.closed.Load()
		if !errors.As(err, &refused) || closed == nil || time.Since(*closed) > lingering {
			return session, err
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

// lastWord bounds how long the end of an output waits for the news of how its
// command ended.
const lastWord = time.Second

// ErrLost says that the connection ended before the command did.
var ErrLost = errors.New("the connection was closed")

// Read reads the command's stdout. Its end is io.EOF only where the command
// ended: a connection that ended is ErrLost or says that nothing was heard.
func (s *Session) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if !errors.Is(err, io.EOF) || s.over == nil {
		return n, err
	}
	if s.conn.Silent() {
		return n, errSilent
	}
	select {
	case <-s.over:
	case <-time.After(lastWord):
		return n, ErrLost
	}
	var missing *ssh.ExitMissingError
	if errors.As(s.result, &missing) {
		return n, ErrLost
	}
	return n, err
}

// why prefers the context's end, which closed the connection, to what it led to.
func (c *Conn) why(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	if c.Silent() {
		return errSilent
	}
	return err
}

// sessionError tells a server that allows too few sessions.
func sessionError(err error) error {
	var refused *ssh.OpenChannelError
	if errors.As(err, &refused) {
		return &SessionsError{refused}
	}
	return err
}

// A SessionsError is a server that refuses a further session.
type SessionsError struct{ Err error }

func (e *SessionsError) Error() string {
	return "the server refuses a session (raise MaxSessions in its sshd_config)"
}

func (e *SessionsError) Unwrap() error { return e.Err }

var errSilent error = silence{}

// silence is the error of a connection on which nothing came.
type silence struct{}

func (silence) Error() string { return "nothing heard from the server for too long" }

// Timeout reports, as net.Error does, that nothing came in time.
func (silence) Timeout() bool { return true }

// Close ends the session: its command sees the end of stdin. The command is not
// killed by that.
func (s *Session) Close() error {
	_ = s.stdin.Close()
	err := s.session.Close()
	now := time.Now()
	s.conn.closed.Store(&now)
	return err
}

// Wait waits for the end of a command that Start began. An ssh.ExitError says
// that it ran.
func (s *Session) Wait() error {
	<-s.over
	return s.result
}

// Diagnostics is the end of what the command printed on stderr. A command that
// ended has printed it just before, so its end is waited for a moment.
func (s *Session) Diagnostics() string {
	select {
	case <-s.over:
	case <-time.After(200 * time.Millisecond):
	}
	return s.stderr.String()
}

// maxDiagnostics bounds what is kept of stderr.
const maxDiagnostics = 4 << 10

// A tail keeps the end of what is written.
type tail struct {
	lock sync.Mutex
	data []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.lock.Lock()
	defer t.lock.Unlock()
	t.data = append(t.data, p...)
	if over := len(t.data) - maxDiagnostics; over > 0 {
		t.data = append(t.data[:0], t.data[over:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.lock.Lock()
	defer t.lock.Unlock()
	return string(t.data)
}
