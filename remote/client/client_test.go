package client

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote/hostkeys"
	"mpf/remote/remotetest"
	"mpf/remote/sshconfig"
)

// dialer reads a configuration that a test wrote.
func dialer(t testing.TB, config string) *Dialer {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, "config")
	if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := sshconfig.Load(sshconfig.User{Name: "nobody-here", Home: dir, Getenv: func(string) string { return "" }}, path)
	if err != nil {
		t.Fatal(err)
	}
	return &Dialer{Config: c}
}

// output executes a command on a host.
func output(t *testing.T, d *Dialer, host, command string) (string, error) {
	t.Helper()
	conn, err := d.Dial(t.Context(), Destination{Host: host})
	if err != nil {
		return "", err
	}
	defer conn.Close()
	s, err := conn.Start(t.Context(), command)
	if err != nil {
		return "", err
	}
	defer s.Close()
	out, err := io.ReadAll(s)
	return strings.TrimSpace(string(out)), errors.Join(err, s.Wait())
}

// mustFail checks the message of a connection that cannot be.
func mustFail(t *testing.T, d *Dialer, host string, want ...string) error {
	t.Helper()
	conn, err := d.Dial(t.Context(), Destination{Host: host})
	if err == nil {
		conn.Close()
		t.Fatalf("%s: connected, want %q", host, want)
	}
	var failure *engine.Failure
	if !errors.As(err, &failure) || failure.Status != engine.Unreachable {
		t.Errorf("%s: %v is not typed as unreachable", host, err)
	}
	for _, w := range want {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("%s: %q, want %q in it", host, err, w)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("%q is not one line", err)
	}
	return err
}

func TestExecutesACommand(t *testing.T) {
	s := remotetest.Sshd(t)
	out, err := output(t, dialer(t, s.Alias("n")), "n", "echo $HOME")
	if err != nil || out != s.Home {
		t.Errorf("%q, %v, want %q\n%s", out, err, s.Home, s.Log())
	}
}

func TestJumpsThroughSeveralServers(t *testing.T) {
	outer, inner, host := remotetest.Sshd(t), remotetest.Sshd(t), remotetest.Sshd(t)
	d := dialer(t, outer.Alias("outer")+inner.Alias("inner", "ProxyJump outer")+host.Alias("n", "ProxyJump inner"))
	out, err := output(t, d, "n", "echo $HOME")
	if err != nil || out != host.Home {
		t.Fatalf("%q, %v, want %q", out, err, host.Home)
	}
	for _, s := range []*remotetest.Server{outer, inner} {
		if !strings.Contains(s.Log(), "Accepted publickey") {
			t.Errorf("nobody came by %s", s.Addr)
		}
	}
}

func TestHopsAreSharedAndGivenBack(t *testing.T) {
	gate, host := remotetest.Sshd(t), remotetest.Sshd(t)
	d := dialer(t, gate.Alias("gate")+host.Alias("n*", "ProxyJump gate"))
	var all sync.WaitGroup
	for i := range 12 {
		all.Go(func() {
			if out, err := output(t, d, "n"+string(rune('a'+i)), "echo hello"); err != nil || out != "hello" {
				t.Errorf("%q, %v", out, err)
			}
		})
	}
	all.Wait()
	if n := strings.Count(gate.Log(), "Accepted publickey"); n > 4 {
		t.Errorf("%d logins at the jump host for 12 hosts at once", n)
	}
	if len(d.hops.all) != 0 {
		t.Error("a connection to the jump host is left")
	}
}

func TestAJumpInACircleIsRefused(t *testing.T) {
	d := dialer(t, "Host a\n ProxyJump b\nHost b\n ProxyJump a\n")
	if _, err := d.Dial(t.Context(), Destination{Host: "a"}); err == nil || !strings.Contains(err.Error(), "more than 8 hops") {
		t.Error(err)
	}
}

func TestHostKeys(t *testing.T) {
	s, other := remotetest.Sshd(t), remotetest.Sshd(t)
	write := func(text string) {
		if err := os.WriteFile(s.KnownHosts, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	d := dialer(t, s.Alias("n"))
	name := "[127.0.0.1]:" + s.Port + " "
	write("")
	err := mustFail(t, d, "n", "host key of [127.0.0.1]:"+s.Port+" is unknown: ssh-ed25519 SHA256:", "ssh-keyscan -p "+s.Port+" -t ed25519 127.0.0.1 >> "+s.KnownHosts)
	var unknown *hostkeys.UnknownError
	if !errors.As(err, &unknown) {
		t.Errorf("%v hides its cause", err)
	}
	write(name + other.HostKey + "\n")
	mustFail(t, d, "n", "CHANGED", "ssh-keygen -f "+s.KnownHosts+" -R '[127.0.0.1]:"+s.Port+"'")
	d.AcceptNew = true
	mustFail(t, d, "n", "CHANGED")
	write("@revoked * " + s.HostKey + "\n")
	mustFail(t, d, "n", "revoked")
	write("")
	if _, err := output(t, d, "n", "true"); err != nil {
		t.Error(err)
	}
	d.AcceptNew = false
	if _, err := output(t, d, "n", "true"); err != nil {
		t.Errorf("after its key was noted: %v", err)
	}
}

// A server that has further kinds of key must not look like another machine.
func TestOnlyAnRSAKeyIsKnown(t *testing.T) {
	rsa := filepath.Join(t.TempDir(), "rsa")
	remotetest.GenerateKey(t, rsa, "rsa")
	s := remotetest.Sshd(t, "HostKey "+rsa)
	public, err := os.ReadFile(rsa + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.KnownHosts, []byte("[127.0.0.1]:"+s.Port+" "+string(public)), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := output(t, dialer(t, s.Alias("n")), "n", "true"); err != nil {
		t.Error(err)
	}
}

func TestRefusedLoginSaysWhatWasOffered(t *testing.T) {
	s := remotetest.Sshd(t)
	wrong := filepath.Join(t.TempDir(), "wrong")
	remotetest.GenerateKey(t, wrong, "ed25519")
	locked := filepath.Join(t.TempDir(), "locked")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ed25519", "-N", "secret", "-f", locked).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	block := strings.Replace(s.Alias("n"), "IdentityFile "+s.Key, "IdentityFile "+wrong+"\n IdentityFile "+locked, 1)
	mustFail(t, dialer(t, block), "n", "login refused", "SHA256:", "("+wrong+")", "ssh-copy-id", "ssh-add "+locked)
	if n := strings.Count(s.Log(), "Connection from"); n != 1 {
		t.Errorf("%d connections for one refused login", n)
	}
}

func TestRefusedLoginSaysWhatElseIsTaken(t *testing.T) {
	s := remotetest.Sshd(t, "PasswordAuthentication yes", "AuthenticationMethods publickey,password")
	mustFail(t, dialer(t, s.Alias("n")), "n", "login refused: the key is accepted and not enough, the server wants password as well")
	s = remotetest.Sshd(t, "PasswordAuthentication yes", "PubkeyAuthentication no")
	mustFail(t, dialer(t, s.Alias("n")), "n", "the server takes no public keys; it would take password, which mpf does not do")
}

func TestMessagesOfThePlaces(t *testing.T) {
	s := remotetest.Sshd(t)
	s.Stop()
	mustFail(t, dialer(t, s.Alias("n")), "n", "n (127.0.0.1:"+s.Port+")", "connection refused", "no sshd listens")
	mustFail(t, dialer(t, "Host n\n HostName no-such-host.invalid\n"), "n", `no address found for "no-such-host.invalid"`)
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	_, port, _ := net.SplitHostPort(silent.Addr().String())
	d := dialer(t, "Host n\n HostName 127.0.0.1\n Port "+port+"\n")
	d.Handshake = 50 * time.Millisecond
	mustFail(t, d, "n", "no answer in time")
}

func TestSSHAgentAndCertificates(t *testing.T) {
	enginetest.Need(t, "ssh-agent")
	dir := t.TempDir()
	authority, key := filepath.Join(dir, "ca"), filepath.Join(dir, "key")
	remotetest.GenerateKey(t, authority, "ed25519")
	remotetest.GenerateKey(t, key, "ed25519")
	s := remotetest.Sshd(t, "TrustedUserCAKeys "+authority+".pub")
	if out, err := exec.Command("ssh-keygen", "-q", "-s", authority, "-I", "me", "-n", s.User, key+".pub").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	block := strings.Replace(s.Alias("n"), s.Key, key, 1)
	if _, err := output(t, dialer(t, block), "n", "true"); err != nil {
		t.Errorf("a certificate beside its key: %v", err)
	}

	socket := startAgent(t, dir)
	add := exec.Command("ssh-add", "-q", s.Key)
	add.Env = append(os.Environ(), "SSH_AUTH_SOCK="+socket)
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if err := os.Rename(s.Key, s.Key+".away"); err != nil {
		t.Fatal(err)
	}
	// The public half is left: it names the key of the agent.
	if _, err := output(t, dialer(t, s.Alias("n", "IdentityAgent "+socket)), "n", "true"); err != nil {
		t.Errorf("a key that only the ssh-agent holds: %v", err)
	}
}

func startAgent(t *testing.T, dir string) string {
	t.Helper()
	socket := filepath.Join(dir, "agent")
	agent := exec.Command("ssh-agent", "-D", "-a", socket)
	remotetest.FirstLine(t, agent) // it says where it listens once it does
	return socket
}

// Most servers give up at the sixth key; a login with many keys must not end
// there.
func TestOffersFiveKeysAtMost(t *testing.T) {
	s := remotetest.Sshd(t)
	dir := t.TempDir()
	socket := startAgent(t, dir)
	block := strings.Replace(s.Alias("n", "IdentityAgent "+socket), "IdentitiesOnly yes", "IdentitiesOnly no", 1)
	for i := range 7 {
		key := filepath.Join(dir, "k"+string(rune('0'+i)))
		remotetest.GenerateKey(t, key, "ed25519")
		add := exec.Command("ssh-add", "-q", key)
		add.Env = append(os.Environ(), "SSH_AUTH_SOCK="+socket)
		if out, err := add.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	mustFail(t, dialer(t, block), "n", "was not offered, 5 were before it", "IdentitiesOnly yes")
	if strings.Contains(s.Log(), "Too many authentication failures") {
		t.Error("the server gave up before we did")
	}
	block = strings.Replace(block, "IdentitiesOnly no", "IdentitiesOnly yes", 1)
	if _, err := output(t, dialer(t, block), "n", "true"); err != nil {
		t.Errorf("with IdentitiesOnly: %v", err)
	}
}

// MaxStartups 1 refuses all but one caller at a time.
func TestBacksOffWhereTheServerHasTooManyCallers(t *testing.T) {
	s := remotetest.Sshd(t, "MaxStartups 1:100:1")
	d := dialer(t, s.Alias("n"))
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() {
			if _, err := output(t, d, "n", "true"); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
}

func TestOneSessionIsEnoughAfterAnother(t *testing.T) {
	s := remotetest.Sshd(t, "MaxSessions 1")
	conn, err := dialer(t, s.Alias("n")).Dial(t.Context(), Destination{Host: "n"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	first, err := conn.Start(t.Context(), "cat")
	if err != nil {
		t.Fatal(err)
	}
	var tooMany *SessionsError
	if _, err := conn.Start(t.Context(), "true"); !errors.As(err, &tooMany) {
		t.Errorf("a second session at once: %v", err)
	}
	first.Close()
}

// A black hole gives no end of file: only silence.
func TestSilenceEndsAConnection(t *testing.T) {
	s := remotetest.Sshd(t)
	p := remotetest.NewProxy(t, s.Addr)
	d := dialer(t, strings.Replace(s.Alias("n", "HostKeyAlias [127.0.0.1]:"+s.Port), "Port "+s.Port, "Port "+p.Port, 1))
	d.Patience = 300 * time.Millisecond
	conn, err := d.Dial(t.Context(), Destination{Host: "n"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	session, err := conn.Start(t.Context(), "cat")
	if err != nil {
		t.Fatal(err)
	}
	p.BlackHole(true)
	_, _ = session.Write([]byte("hello"))
	if _, err := io.ReadAll(session); err == nil && !conn.Silent() {
		t.Error("the session ended without a reason")
	}
	<-conn.done
	if !conn.Silent() {
		t.Error("not told from a connection that was closed")
	}
}

func TestQuietConnectionsLive(t *testing.T) {
	s := remotetest.Sshd(t)
	d := dialer(t, s.Alias("n"))
	d.Patience = 200 * time.Millisecond
	conn, err := d.Dial(t.Context(), Destination{Host: "n"})
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	session, err := conn.Start(t.Context(), "sleep 1; echo alive")
	if err != nil {
		t.Fatal(err)
	}
	if out, err := io.ReadAll(session); err != nil || string(out) != "alive\n" {
		t.Errorf("%q, %v, silent %v", out, err, conn.Silent())
	}
}

func TestADeadJumpHostEndsWhatIsBehindIt(t *testing.T) {
	gate, host := remotetest.Sshd(t), remotetest.Sshd(t)
	d := dialer(t, gate.Alias("gate")+host.Alias("n", "ProxyJump gate"))
	conn, err := d.Dial(t.Context(), Destination{Host: "n"})
	if err != nil {
		t.Fatal(err)
	}
	session, err := conn.Start(t.Context(), "cat")
	if err != nil {
		t.Fatal(err)
	}
	gate.KillSessions()
	_, _ = io.ReadAll(session)
	<-conn.done
	gate.Stop()
	mustFail(t, d, "n", "gate (127.0.0.1", "connection refused")
}

func TestACancelledDialReturns(t *testing.T) {
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	_, port, _ := net.SplitHostPort(silent.Addr().String())
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		c, err := silent.Accept()
		if err == nil {
			defer c.Close()
		}
		cancel()
		<-t.Context().Done()
	}()
	_, err = dialer(t, "Host n\n HostName 127.0.0.1\n Port "+port+"\n").Dial(ctx, Destination{Host: "n"})
	if !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
}
