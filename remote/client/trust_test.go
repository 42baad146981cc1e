package client

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mpf/remote/hostkeys"
	"mpf/remote/remotetest"
)

func TestRevokedKeysAreRefusedWhateverIsKnown(t *testing.T) {
	s := remotetest.Sshd(t)
	list := filepath.Join(t.TempDir(), "revoked")
	d := dialer(t, s.Alias("n", "RevokedHostKeys "+list))
	write := func(text string) {
		if err := os.WriteFile(list, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	err := mustFail(t, d, "n", "RevokedHostKeys "+list, "no such file", "take RevokedHostKeys out")
	var final interface{ Final() bool }
	if !errors.As(err, &final) {
		t.Error("waiting seems to mend it")
	}
	write("# none\n\n")
	if _, err := output(t, d, "n", "true"); err != nil {
		t.Error(err)
	}
	write("# stolen\n" + s.HostKey + "\n")
	mustFail(t, d, "n", "is revoked: ssh-ed25519 SHA256:", list+":2")
	d.AcceptNew = true
	mustFail(t, d, "n", "is revoked")
	if out, err := exec.Command("ssh-keygen", "-q", "-k", "-f", list, filepath.Join(s.Dir, "host.pub")).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	mustFail(t, d, "n", "a list in ssh-keygen's own form")
}

func TestRSAKeysThatAreTooShort(t *testing.T) {
	s := rsaServer(t)
	key := filepath.Join(s.Dir, "rsa")
	remotetest.GenerateKey(t, key, "rsa")
	mustFail(t, dialer(t, s.Alias("n", "RequiredRSASize 4096")), "n", "has 3072 bits, RequiredRSASize is 4096: ssh-rsa")
	s = remotetest.Sshd(t)
	mustFail(t, dialer(t, strings.Replace(s.Alias("n", "RequiredRSASize 4096"), s.Key, key, 1)), "n", key+": it has 3072 bits, RequiredRSASize is 4096")
}

// OpenSSH takes no signature of SHA-1 from an authority unless it is told to.
func TestHowAnAuthoritySigns(t *testing.T) {
	authority := filepath.Join(t.TempDir(), "ca")
	remotetest.GenerateKey(t, authority, "rsa")
	s := remotetest.Sshd(t)
	host := filepath.Join(s.Dir, "host")
	if out, err := exec.Command("ssh-keygen", "-q", "-t", "ssh-rsa", "-s", authority, "-h", "-I", "n", "-n", "127.0.0.1", host+".pub").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	s.Stop()
	s.Set("HostCertificate " + host + "-cert.pub")
	s.Start()
	public, err := os.ReadFile(authority + ".pub")
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(s.KnownHosts, []byte("@cert-authority * "+string(public)), 0o600); err != nil {
		t.Fatal(err)
	}
	err = mustFail(t, dialer(t, s.Alias("n")), "n", "its signature is by ssh-rsa, which CASignatureAlgorithms does not allow")
	if !errors.As(err, new(*hostkeys.CertificateError)) {
		t.Errorf("%v hides its cause", err)
	}
	if _, err := output(t, dialer(t, s.Alias("n", "CASignatureAlgorithms +ssh-rsa")), "n", "true"); err != nil {
		t.Error(err)
	}
}
