package client

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mpf/remote/remotetest"
)

// Each server has one algorithm only, which the configuration has to bring.
func TestAlgorithmsOfTheConfiguration(t *testing.T) {
	for _, c := range []struct{ server, client, without string }{
		{"Ciphers aes128-cbc", "Ciphers +aes128-cbc", "Ciphers +aes128-cbc"},
		{"KexAlgorithms diffie-hellman-group14-sha1", "KexAlgorithms ^diffie-hellman-group14-*", "KexAlgorithms +diffie-hellman-group14-sha1"},
		{"HostKeyAlgorithms ssh-rsa", "HostKeyAlgorithms ssh-dss,ssh-rsa", "HostKeyAlgorithms +ssh-rsa"},
	} {
		s := rsaServer(t, c.server)
		if _, err := output(t, dialer(t, s.Alias("n", c.client)), "n", "true"); err != nil {
			t.Errorf("%s with %s: %v", c.server, c.client, err)
		}
		mustFail(t, dialer(t, s.Alias("n")), "n", "in common: the server has", "write into the Host block: "+c.without)
	}
}

// rsaServer has a key of this kind alone.
func rsaServer(t *testing.T, settings ...string) *remotetest.Server {
	t.Helper()
	rsa := filepath.Join(t.TempDir(), "rsa")
	remotetest.GenerateKey(t, rsa, "rsa")
	s := remotetest.Sshd(t, append(settings, "HostKey "+rsa, "LogLevel DEBUG1")...)
	public, err := os.ReadFile(rsa + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.KnownHosts, []byte("[127.0.0.1]:"+s.Port+" "+string(public)), 0o600); err != nil {
		t.Fatal(err)
	}
	return s
}

// A server that is hardened has what OpenSSH has, and the library not by itself.
func TestWhatOpenSSHHasByItself(t *testing.T) {
	for _, setting := range []string{"KexAlgorithms diffie-hellman-group16-sha512", "KexAlgorithms diffie-hellman-group-exchange-sha256",
		"MACs hmac-sha2-512-etm@openssh.com", "Ciphers chacha20-poly1305@openssh.com"} {
		s := remotetest.Sshd(t, setting)
		if _, err := output(t, dialer(t, s.Alias("n")), "n", "true"); err != nil {
			t.Errorf("%s: %v", setting, err)
		}
	}
}

func TestAlgorithmsAreUsedInTheirOrder(t *testing.T) {
	s := rsaServer(t)
	key := filepath.Join(s.Dir, "rsa")
	remotetest.GenerateKey(t, key, "rsa")
	public, err := os.ReadFile(key + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	s.Authorize(string(public))
	block := strings.Replace(s.Alias("n", "Ciphers aes256-cbc,aes192-ctr,aes256-ctr", "MACs hmac-sha2-512", "KexAlgorithms ecdh-sha2-nistp384",
		"HostKeyAlgorithms rsa-sha2-256", "PubkeyAcceptedAlgorithms rsa-sha2-512"), s.Key, key, 1)
	if _, err := output(t, dialer(t, block), "n", "true"); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"cipher: aes192-ctr MAC: hmac-sha2-512", "kex: algorithm: ecdh-sha2-nistp384",
		"kex: host key algorithm: rsa-sha2-256", "pkalg rsa-sha2-512"} {
		if !strings.Contains(s.Log(), want) {
			t.Errorf("%q is not in the server's log:\n%s", want, s.Log())
		}
	}
}

// A certificate that nobody vouches for leaves the key below it, as for ssh.
func TestAHostThatIsNotKnownIsAskedForItsKey(t *testing.T) {
	authority := filepath.Join(t.TempDir(), "ca")
	remotetest.GenerateKey(t, authority, "ed25519")
	s := remotetest.Sshd(t)
	host := filepath.Join(s.Dir, "host")
	if out, err := exec.Command("ssh-keygen", "-q", "-s", authority, "-h", "-I", "n", host+".pub").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.Stop()
	s.Set("HostCertificate " + host + "-cert.pub")
	s.Start()
	if err := os.WriteFile(s.KnownHosts, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	d := dialer(t, s.Alias("n"))
	mustFail(t, d, "n", "host key of [127.0.0.1]:"+s.Port+" is unknown: ssh-ed25519 SHA256:")
	d.AcceptNew = true
	for range 2 {
		if _, err := output(t, d, "n", "true"); err != nil {
			t.Error(err)
		}
	}
}

func TestAlgorithmsThatLeaveNothing(t *testing.T) {
	s := remotetest.Sshd(t, "Ciphers aes128-ctr")
	for line, want := range map[string]string{
		"Ciphers aes192-cbc,nonsense":       `config:9:1: Ciphers "aes192-cbc,nonsense": leaves none that mpf has (let the list name one of these that the server has too: aes128-gcm`,
		"MACs -*":                           `config:9:1: MACs "-*": leaves none`,
		"Ciphers aes256-ctr":                `config:9:1 allows ["aes256-ctr"], and the server has ["aes128-ctr"]`,
		"HostKeyAlgorithms rsa*":            `config:9:1: HostKeyAlgorithms "rsa*": none of the algorithms fits a known key of [127.0.0.1]:` + s.Port + `: ["ssh-ed25519"]`,
		"PubkeyAcceptedAlgorithms -ssh-ed*": s.Key + ": PubkeyAcceptedAlgorithms leaves its kind out",
	} {
		mustFail(t, dialer(t, s.Alias("n", line)), "n", want)
	}
}
