package launch

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"strings"
	"sync"

	"mpf/engine"
	"mpf/remote/agentbin"
	"mpf/remote/client"
)

// A Launcher starts agents on one host.
type Launcher struct {
	Dialer      *client.Dialer
	Destination client.Destination
	Prefix      []string // what the agent is started through, as `taskset -c 0-3`: words that sh takes as they are
	Find        Finder   // of agents

	lock sync.Mutex
	arch string // of the host, once it is known
}

// A Finder supplies the agent for hosts of a system, named as Go names them.
type Finder func(ctx context.Context, goos, goarch string) (agentbin.Binary, error)

// A Stream is the stdin and stdout of an agent, over a connection of its own.
type Stream struct {
	*client.Session
	conn   *client.Conn
	sha256 string
}

// AgentSHA256 is the hash of the agent that was started.
func (s *Stream) AgentSHA256() string { return s.sha256 }

// Close ends the connection, and with it the agent, which sees the end of its
// stdin. It waits for no Write: one on a dead connection never returns.
func (s *Stream) Close() error { return s.conn.Close() }

// Dial connects to the host and starts an agent.
func (l *Launcher) Dial(ctx context.Context) (*Stream, error) {
	conn, err := l.Dialer.Dial(ctx, l.Destination)
	if err != nil {
		return nil, err
	}
	stream, err := l.start(ctx, conn)
	if err != nil {
		_ = conn.Close()
		return nil, l.failure(ctx, err)
	}
	return stream, nil
}

// start finds the agent, or sends it and finds it then. A host of another
// architecture than was thought costs a session more.
func (l *Launcher) start(ctx context.Context, conn *client.Conn) (*Stream, error) {
	sent := false
	for {
		bin, err := l.Find(ctx, "linux", l.guess())
		if err != nil {
			return nil, err
		}
		session, got, err := l.look(ctx, conn, bin)
		if err != nil {
			return nil, err
		}
		switch {
		case got.state == "found":
			return &Stream{session, conn, bin.SHA256}, nil
		case got.state == "other" && got.found.arch() != "" && got.found.arch() != l.guess():
			l.learn(got.found.arch())
		case got.state == "missing" && !sent:
			if err := send(ctx, conn, got, bin); err != nil {
				return nil, err
			}
			sent = true
		default:
			return nil, got.trouble()
		}
	}
}

func (l *Launcher) guess() string {
	l.lock.Lock()
	defer l.lock.Unlock()
	if l.arch == "" {
		return runtime.GOARCH
	}
	return l.arch
}

func (l *Launcher) learn(arch string) {
	l.lock.Lock()
	defer l.lock.Unlock()
	l.arch = arch
}

// look executes the script. Where it became the agent, the session is that of
// the agent.
func (l *Launcher) look(ctx context.Context, conn *client.Conn, bin agentbin.Binary) (*client.Session, answer, error) {
	session, err := conn.Start(ctx, script(machineOf(l.guess()).String(), bin.SHA256, l.Prefix))
	if err != nil {
		return nil, answer{}, err
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	line, err := readLine(session)
	got, ok := parseAnswer(line)
	if ok && got.state == "found" {
		return session, got, nil
	}
	_ = session.Close()
	if !ok {
		return nil, answer{}, noise(line, err, session.Diagnostics())
	}
	return nil, got, nil
}

// maxLine bounds what is read in search of the script's line.
const maxLine = 4 << 10

// readLine reads byte by byte: what follows the line is the agent's.
func readLine(r io.Reader) (string, error) {
	var line strings.Builder
	one := make([]byte, 1)
	for line.Len() < maxLine {
		n, err := r.Read(one)
		if n == 1 && one[0] == '\n' {
			break
		}
		line.Write(one[:n])
		if err != nil {
			return line.String(), err
		}
	}
	return line.String(), nil
}

// noise is what came in place of the script's line.
func noise(line string, err error, stderr string) error {
	if line == "" && err != nil {
		return fmt.Errorf("the host executes no command: its stderr ends %q", lastLine(stderr))
	}
	return fmt.Errorf("expected %q, got %q (make the host's start-up files silent for non-interactive shells)", marker, short(line))
}

func short(text string) string {
	if len(text) > 200 {
		return text[:200] + "..."
	}
	return text
}

func lastLine(text string) string {
	text = strings.TrimSpace(text)
	return short(text[strings.LastIndexByte(text, '\n')+1:])
}

// trouble says why an agent cannot be started where it should lie.
func (a answer) trouble() error {
	dir := a.home + "/" + cacheDir
	switch a.state {
	case "other":
		return fmt.Errorf("a host of kind %q: agents are made for Linux on x86_64 and aarch64", a.found)
	case "foreign":
		return fmt.Errorf("%s is a symbolic link or belongs to somebody else (look who made it, then remove it)", dir)
	case "unusable":
		return fmt.Errorf("the agent in %s cannot be executed: its file system is mounted noexec, or somebody changed the file (remount it, or remove the folder)", dir)
	}
	return fmt.Errorf("the agent that was just sent to %s is not there", dir)
}

// failure names the host.
func (l *Launcher) failure(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return &engine.Failure{Status: engine.Unreachable, Cause: engine.CauseLink, Message: l.String() + ": " + err.Error(), Err: err}
}

// String is the destination as ssh would be given it.
func (l *Launcher) String() string {
	text := l.Destination.Host
	if l.Destination.User != "" {
		text = l.Destination.User + "@" + text
	}
	if l.Destination.Port != "" {
		text += ":" + l.Destination.Port
	}
	return text
}
