package remote_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote"
	"mpf/remote/remotetest"
)

// keygen runs ssh-keygen.
func keygen(t *testing.T, words ...string) {
	t.Helper()
	if out, err := exec.Command("ssh-keygen", append([]string{"-q"}, words...)...).CombinedOutput(); err != nil {
		t.Fatalf("ssh-keygen %q: %v: %s", words, err, out)
	}
}

// sshAgent starts an ssh-agent that holds keys.
func sshAgent(t *testing.T, keys ...string) string {
	t.Helper()
	enginetest.Need(t, "ssh-agent")
	dir, err := os.MkdirTemp("/tmp", "mpf-agent") // the path of a socket is short
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	socket := filepath.Join(dir, "socket")
	agent := exec.Command("ssh-agent", "-D", "-a", socket)
	remotetest.FirstLine(t, agent) // it says where it listens once it does
	for _, key := range keys {
		add := exec.Command("ssh-add", "-q", key)
		add.Env = append(os.Environ(), "SSH_AUTH_SOCK="+socket)
		if out, err := add.CombinedOutput(); err != nil {
			t.Fatalf("ssh-add: %v: %s", err, out)
		}
	}
	return socket
}

// A site is two gates and a host that know one authority for users and one for
// hosts, as large clusters do. The user's key is in an ssh-agent alone, among
// more keys than a server lets one try; its certificate is a file.
func site(t *testing.T) (config, hosts string, gates [2]*remotetest.Server) {
	t.Helper()
	dir := t.TempDir()
	file := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"users", "hosts", "key"} {
		remotetest.GenerateKey(t, file(name), "ed25519")
	}
	me := remotetest.Sshd(t, "TrustedUserCAKeys "+file("users.pub"), "HostCertificate "+file("n-cert.pub"))
	keygen(t, "-s", file("users"), "-I", "me", "-n", me.User, file("key.pub"))
	keygen(t, "-s", file("hosts"), "-h", "-I", "n", "-n", "node-of-the-site", filepath.Join(me.Dir, "host.pub"))
	copyFile(t, filepath.Join(me.Dir, "host-cert.pub"), file("n-cert.pub"))
	me.Stop()
	me.Start() // with its certificate
	held := []string{file("key")}
	for i := range 6 {
		held = append([]string{file(fmt.Sprint("other", i))}, held...)
		remotetest.GenerateKey(t, held[0], "ed25519")
	}
	socket := sshAgent(t, held...)
	if err := os.Remove(file("key")); err != nil {
		t.Fatal(err)
	}
	authority, err := os.ReadFile(file("hosts.pub"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, file("known_hosts"), "@cert-authority node-of-* "+string(authority))
	for i := range gates {
		gates[i] = remotetest.Sshd(t, "TrustedUserCAKeys "+file("users.pub"))
		write(t, file("gates.conf"), gates[i].Alias(fmt.Sprint("gate", i+1)))
	}
	login := fmt.Sprintf(" IdentityFile %s\n CertificateFile %s\n IdentitiesOnly yes\n IdentityAgent %s\n", file("key.pub"), file("key-cert.pub"), socket)
	host := fmt.Sprintf("Host n\n HostName 127.0.0.1\n Port %s\n User %s\n HostKeyAlias node-of-the-site\n UserKnownHostsFile %s\n GlobalKnownHostsFile none\n ProxyJump gate1,gate2\n",
		me.Port, me.User, file("known_hosts"))
	return "Include " + file("*.conf") + "\n" + host + login, "hosts: {n: {shared: true}}\n", gates
}

func write(t *testing.T, path, text string) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		t.Fatal(err)
	}
}

func copyFile(t *testing.T, from, to string) {
	t.Helper()
	content, err := os.ReadFile(from)
	if err != nil {
		t.Fatal(err)
	}
	write(t, to, string(content))
}

func TestSSHOfALargeSiteIsAHost(t *testing.T) {
	config, hosts, gates := site(t)
	remotetest.HostContract(t, func(t *testing.T) engine.Host {
		f, err := remote.Open(t.Context(), cluster(t, config, hosts), remote.Options{Link: quick()})
		if err != nil {
			t.Fatal(err)
		}
		return f.Host("n")
	})
	for i, gate := range gates {
		if !strings.Contains(gate.Log(), "Accepted publickey") {
			t.Errorf("nobody came by gate %d", i+1)
		}
	}
}

// A certificate of a host is for its name, and of an authority.
func TestAHostCertificateIsChecked(t *testing.T) {
	config, hosts, _ := site(t)
	config = strings.Replace(config, "HostKeyAlias node-of-the-site", "HostKeyAlias node-of-another", 1)
	f, err := remote.Open(t.Context(), cluster(t, config, hosts), remote.Options{Link: quick()})
	if want := "host certificate of node-of-another is refused"; err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
	f.Close()
}

// What is not heeded on the way is said as well as what is not at its end.
func TestWarningsOfJumpHostsAreSaid(t *testing.T) {
	gate, host := remotetest.Sshd(t), remotetest.Sshd(t)
	config := gate.Alias("gate", "StrictHostKeyChecking no") + host.Alias("n", "ProxyJump gate", "PKCS11Provider /lib/p11.so")
	f, err := remote.Open(t.Context(), cluster(t, config, "hosts: {n: {shared: true}}\n"), remote.Options{Link: quick()})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	said := strings.Join(f.Warnings, "\n")
	for _, want := range []string{":9:1: StrictHostKeyChecking no: ignored", "PKCS11Provider /lib/p11.so: ignored"} {
		if !strings.Contains(said, want) {
			t.Errorf("%q does not say %q", said, want)
		}
	}
}
