package client

import (
	"fmt"
	"net"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"mpf/remote/sshconfig"
)

// maxLingering is how long a ProxyCommand may go on once its connection is
// closed.
const maxLingering = 2 * time.Second

// A proxied is a network connection that a ProxyCommand makes.
type proxied struct {
	net.Conn
	settings sshconfig.Settings
	command  *exec.Cmd
	stderr   *tail
	once     sync.Once
	ended    chan struct{}
	waited   error
}

// proxy starts a ProxyCommand by the user's shell, as ssh does, with one end of
// a socket as its stdin and stdout. It has a session of its own, so that an
// interrupt of the terminal reaches mpf alone.
func proxy(s sshconfig.Settings) (*proxied, error) {
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer ours.Close()
	defer theirs.Close()
	conn, err := net.FileConn(ours)
	if err != nil {
		return nil, err
	}
	p := &proxied{Conn: conn, settings: s, command: exec.Command(s.Shell, "-c", "exec "+s.ProxyCommand), stderr: &tail{}, ended: make(chan struct{})}
	p.command.Stdin, p.command.Stdout, p.command.Stderr = theirs, theirs, p.stderr
	p.command.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	p.command.WaitDelay = maxLingering
	if err := p.command.Start(); err != nil {
		return nil, fmt.Errorf("ProxyCommand: %w", err)
	}
	go func() {
		p.waited = p.command.Wait()
		close(p.ended)
	}()
	return p, nil
}

func socketPair() (ours, theirs *os.File, err error) {
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_STREAM, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("ProxyCommand: %w", err)
	}
	for _, fd := range pair {
		unix.CloseOnExec(fd)
	}
	return os.NewFile(uintptr(pair[0]), "proxy"), os.NewFile(uintptr(pair[1]), "proxy"), nil
}

// Close ends the connection and what made it.
func (p *proxied) Close() error {
	err := net.ErrClosed
	p.once.Do(func() {
		err = p.Conn.Close()
		p.signal(syscall.SIGHUP)
		select {
		case <-p.ended:
		case <-time.After(maxLingering):
			p.signal(syscall.SIGKILL)
			<-p.ended
		}
	})
	return err
}

// signal reaches all that the command started and left in its session.
func (p *proxied) signal(s syscall.Signal) { _ = syscall.Kill(-p.command.Process.Pid, s) }

// explain says of a connection that failed what the command says of it, if it
// failed first.
func (p *proxied) explain(err error) error {
	select {
	case <-p.ended:
	case <-time.After(maxLingering):
		return err
	}
	said := strings.Join(strings.Fields(p.stderr.String()), " ")
	if p.waited == nil && said == "" {
		return err
	}
	return &proxyError{p.settings, p.waited, said}
}

// A proxyError is a ProxyCommand that did not lead to the host.
type proxyError struct {
	settings sshconfig.Settings
	waited   error
	said     string
}

func (e *proxyError) Error() string {
	text := fmt.Sprintf("ProxyCommand %q", e.settings.ProxyCommand)
	if e.waited != nil {
		text += fmt.Sprintf(": %v", e.waited)
	}
	if e.said != "" {
		text += fmt.Sprintf(": it says %q", e.said)
	}
	return text
}

// Hint is the command that shows more.
func (e *proxyError) Hint() string { return "see what ssh makes of it: ssh -v " + e.settings.Alias }
