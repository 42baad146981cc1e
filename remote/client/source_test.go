package client

import (
	"io"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"mpf/engine/enginetest"
	"mpf/remote/remotetest"
)

func TestConnectionsComeFromWhereTheConfigurationSays(t *testing.T) {
	s := remotetest.Sshd(t)
	for line, from := range map[string]string{"BindAddress 127.0.0.7": "127.0.0.7", "BindInterface lo": "127.0.0.1", "AddressFamily inet": "127.0.0.1"} {
		out, err := output(t, dialer(t, s.Alias("n", line)), "n", "echo $SSH_CONNECTION")
		if err != nil || !strings.HasPrefix(out, from+" ") {
			t.Errorf("%s: %q, %v, want it from %s", line, out, err, from)
		}
	}
	mustFail(t, dialer(t, s.Alias("n", "BindAddress 203.0.113.7")), "n", "203.0.113.7", "cannot assign requested address")
	mustFail(t, dialer(t, s.Alias("n", "BindInterface none0")), "n", `BindInterface "none0"`)
	mustFail(t, dialer(t, s.Alias("n", "AddressFamily inet6")), "n", `no inet6 address for "127.0.0.1" (see AddressFamily`)
}

// A block that only holds once the name is known leads to the host.
func TestMatchBlocksLeadToTheHost(t *testing.T) {
	s := remotetest.Sshd(t)
	block := strings.Replace(s.Alias("n"), "Host n\n HostName", "Match originalhost n\n HostName", 1)
	block = strings.Replace(block, " Port", "Match final host 127.0.0.1 user !nobody,*\n Port", 1)
	if out, err := output(t, dialer(t, block), "n", "echo $HOME"); err != nil || out != s.Home {
		t.Errorf("%q, %v\n%s", out, err, block)
	}
}

// Whoever has to touch a token logs in later than ConnectTimeout allows.
func TestConnectTimeoutIsNotAboutTheLogin(t *testing.T) {
	enginetest.Need(t, "ssh-agent")
	s := remotetest.Sshd(t)
	dir, err := os.MkdirTemp("/tmp", "mpf-agent") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	slow, err := net.Listen("unix", filepath.Join(dir, "slow"))
	if err != nil {
		t.Fatal(err)
	}
	defer slow.Close()
	agent := startAgent(t, dir)
	add := exec.Command("ssh-add", "-q", s.Key)
	add.Env = append(os.Environ(), "SSH_AUTH_SOCK="+agent)
	if out, err := add.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	go func() {
		asked, err := slow.Accept()
		if err != nil {
			return
		}
		defer asked.Close()
		time.Sleep(4 * time.Second) // a touch that takes its time
		held, err := net.Dial("unix", agent)
		if err != nil {
			return
		}
		defer held.Close()
		go func() { _, _ = io.Copy(held, asked) }()
		_, _ = io.Copy(asked, held)
	}()
	block := strings.Replace(s.Alias("n", "ConnectTimeout 3", "IdentityAgent "+slow.Addr().String()), s.Key, s.Key+".pub", 1)
	if _, err := output(t, dialer(t, block), "n", "true"); err != nil {
		t.Error(err)
	}
}
