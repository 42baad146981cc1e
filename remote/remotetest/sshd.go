package remotetest

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"mpf/engine/enginetest"
)

// A Server is a real sshd on loopback. All that it needs lies in Dir; those who
// log in find their home there as well.
type Server struct {
	Dir        string
	Addr       string // host:port
	Port       string
	User       string
	Home       string // of whoever logs in
	Key        string // a private key that is let in
	HostKey    string // the server's public key, as a line of text
	KnownHosts string // names that key

	t        testing.TB
	lock     sync.Mutex
	sshd     *exec.Cmd
	ended    chan struct{}
	log      strings.Builder
	settings []string
	prefix   []string

	keepKnown bool // known_hosts is as a client has it who was here before
}

// Sshd starts a server that takes the lines of sshd_config that it is given
// before its own, and stops it when the test ends.
func Sshd(t testing.TB, settings ...string) *Server {
	t.Helper()
	return start(t, nil, settings)
}

// SshdBehind starts a server by way of another program, such as unshare(1).
func SshdBehind(t testing.TB, prefix []string, settings ...string) *Server {
	t.Helper()
	return start(t, prefix, settings)
}

func start(t testing.TB, prefix, settings []string) *Server {
	t.Helper()
	me, err := user.Current()
	if err != nil {
		t.Fatal(err)
	}
	s := &Server{t: t, Dir: t.TempDir(), User: me.Username, settings: settings, prefix: prefix}
	s.Home = s.path("home")
	if err := os.Mkdir(s.Home, 0o700); err != nil {
		t.Fatal(err)
	}
	s.begin()
	return s
}

// begin makes the keys and starts the server.
func (s *Server) begin() {
	s.t.Helper()
	enginetest.Need(s.t, "sshd", "ssh-keygen", "unshare")
	if os.Geteuid() == 0 {
		// The folder into which sshd locks its unprivileged part.
		if err := os.MkdirAll("/run/sshd", 0o755); err != nil {
			s.t.Fatal(err)
		}
	}
	s.Key = s.path("id")
	GenerateKey(s.t, s.Key, "ed25519")
	GenerateKey(s.t, s.path("host"), "ed25519")
	s.write("authorized_keys", s.read("id.pub"))
	s.t.Cleanup(func() {
		s.Stop()
		letEnd("HOME=" + s.Home)
	})
	s.Start()
}

// GenerateKey makes a key pair without a passphrase.
func GenerateKey(t testing.TB, path, kind string) {
	t.Helper()
	if out, err := exec.Command("ssh-keygen", "-q", "-t", kind, "-N", "", "-C", "test", "-f", path).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen: %v: %s", err, out)
	}
}

func (s *Server) path(name string) string { return filepath.Join(s.Dir, name) }

func (s *Server) read(name string) string {
	content, err := os.ReadFile(s.path(name))
	if err != nil {
		s.t.Fatal(err)
	}
	return string(content)
}

func (s *Server) write(name, content string) {
	if err := os.WriteFile(s.path(name), []byte(content), 0o644); err != nil {
		s.t.Fatal(err)
	}
}

// Authorize lets in another public key, or whatever else a line of
// authorized_keys says.
func (s *Server) Authorize(line string) {
	s.write("authorized_keys", s.read("authorized_keys")+strings.TrimSpace(line)+"\n")
}

// Start starts the server; after a Stop, on the same port.
func (s *Server) Start() {
	s.t.Helper()
	for range 5 {
		if s.Port == "" {
			s.Port = freePort(s.t)
		}
		if s.launch() {
			s.known()
			return
		}
	}
	s.t.Fatalf("sshd does not start: %s", s.Log())
}

// known writes what is known of the server after it chose its port.
func (s *Server) known() {
	s.Addr = net.JoinHostPort("127.0.0.1", s.Port)
	s.HostKey = strings.TrimSpace(s.read("host.pub"))
	s.KnownHosts = s.path("known_hosts")
	if !s.keepKnown {
		s.write("known_hosts", fmt.Sprintf("[127.0.0.1]:%s %s\n", s.Port, s.HostKey))
	}
}

func freePort(t testing.TB) string {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	return port
}

func (s *Server) launch() bool {
	s.write("sshd_config", s.configuration())
	path, err := exec.LookPath("sshd") // sshd wants to be called by its whole path
	if err != nil {
		s.t.Fatal(err)
	}
	argv := append(append(s.ownLock(), s.prefix...), path, "-D", "-e", "-f", s.path("sshd_config"))
	s.sshd = exec.Command(argv[0], argv[1:]...)
	s.sshd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	stderr, err := s.sshd.StderrPipe()
	if err != nil {
		s.t.Fatal(err)
	}
	if err := s.sshd.Start(); err != nil {
		s.t.Fatal(err)
	}
	ready := make(chan bool, 1)
	s.ended = make(chan struct{})
	go s.watch(s.sshd, stderr, ready, s.ended)
	return <-ready
}

// hostLock is the file by which campaigns find each other on a machine.
const hostLock = "/tmp/mpf-host.lock"

// ownLock gives the server a lock file of its own, as if it were a machine of
// its own, so that tests do not wait for each other. It takes root.
func (s *Server) ownLock() []string {
	if os.Geteuid() != 0 {
		return nil
	}
	touchHostLock(s.t)
	touch(s.t, s.path("host.lock"))
	return []string{"unshare", "--mount", "sh", "-c", `mount --bind "$0" ` + hostLock + ` && exec "$@"`, s.path("host.lock")}
}

// touchHostLock makes a file that another can be mounted on.
func touchHostLock(t testing.TB) { touch(t, hostLock) }

func touch(t testing.TB, path string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDONLY|os.O_CREATE, 0o444)
	if err != nil {
		t.Fatal(err)
	}
	_ = f.Close()
}

// watch keeps the log and says whether the server listens.
func (s *Server) watch(sshd *exec.Cmd, stderr io.Reader, ready chan<- bool, ended chan<- struct{}) {
	lines := bufio.NewScanner(stderr)
	said := false
	for lines.Scan() {
		s.lock.Lock()
		s.log.WriteString(lines.Text() + "\n")
		s.lock.Unlock()
		if !said && strings.HasPrefix(lines.Text(), "Server listening") {
			said = true
			ready <- true
		}
	}
	_ = sshd.Wait()
	if !said {
		s.lock.Lock()
		if strings.Contains(s.log.String(), "Address already in use") {
			s.Port = ""
		}
		s.lock.Unlock()
		ready <- false
	}
	close(ended)
}

// configuration is sshd's: what comes first in it counts.
func (s *Server) configuration() string {
	lines := append(append([]string{}, s.settings...),
		"Port "+s.Port, "ListenAddress 127.0.0.1",
		"HostKey "+s.path("host"), "AuthorizedKeysFile "+s.path("authorized_keys"),
		"StrictModes no", "UsePAM no", "PermitRootLogin prohibit-password", "PasswordAuthentication no",
		"KbdInteractiveAuthentication no", "Subsystem sftp internal-sftp", "PidFile none", "PrintMotd no",
		"MaxStartups 100:30:200", "LogLevel VERBOSE", "SetEnv HOME="+s.Home)
	return strings.Join(lines, "\n") + "\n"
}

// NewHostKey gives the server another host key from the next Start on, as if the
// machine were another one. KnownHosts names the old one until somebody
// changes that. It returns what gives it its old key back.
func (s *Server) NewHostKey() (back func()) {
	s.t.Helper()
	for _, name := range []string{"host", "host.pub"} {
		s.rename(name, "old-"+name)
	}
	GenerateKey(s.t, s.path("host"), "ed25519")
	s.keepKnown = true
	return func() {
		for _, name := range []string{"host", "host.pub"} {
			s.rename("old-"+name, name)
		}
	}
}

func (s *Server) rename(from, to string) {
	if err := os.Rename(s.path(from), s.path(to)); err != nil {
		s.t.Fatal(err)
	}
}

// Set replaces the settings; they count from the next Start.
func (s *Server) Set(settings ...string) { s.settings = settings }

// Log is what the server said so far.
func (s *Server) Log() string {
	s.lock.Lock()
	defer s.lock.Unlock()
	return s.log.String()
}

// Crash ends sshd, that which listens and those that serve connections, and
// nothing that they began.
func (s *Server) Crash() {
	s.KillSessions()
	_ = s.sshd.Process.Kill()
	<-s.ended
	s.sshd = nil
}

// Stop ends the server and every session.
func (s *Server) Stop() {
	if s.sshd == nil {
		return
	}
	killTree(s.sshd.Process.Pid)
	select {
	case <-s.ended:
	case <-time.After(10 * time.Second):
		s.t.Errorf("sshd of %s does not end", s.Addr)
	}
	s.sshd = nil
}

// KillSessions ends the processes that serve connections, as if they crashed.
func (s *Server) KillSessions() {
	for _, pid := range descendants(s.sshd.Process.Pid) {
		if name := processName(pid); strings.HasPrefix(name, "sshd") {
			_ = syscall.Kill(pid, syscall.SIGKILL)
		}
	}
}

// Alias makes a block of ssh_config by which the server is called name.
func (s *Server) Alias(name string, more ...string) string {
	block := fmt.Sprintf("Host %s\n HostName 127.0.0.1\n Port %s\n User %s\n IdentityFile %s\n IdentitiesOnly yes\n UserKnownHostsFile %s\n GlobalKnownHostsFile none\n",
		name, s.Port, s.User, s.Key, s.KnownHosts)
	for _, line := range more {
		block += " " + line + "\n"
	}
	return block
}
