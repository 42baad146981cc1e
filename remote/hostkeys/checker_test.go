package hostkeys

import (
	"crypto/ed25519"
	"crypto/rand"
	"crypto/rsa"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"mpf/engine/enginetest"
)

func newKey(t *testing.T) (ssh.Signer, ssh.PublicKey) {
	t.Helper()
	_, private, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	signer, err := ssh.NewSignerFromKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return signer, signer.PublicKey()
}

func knownFile(t *testing.T, lines ...string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "known_hosts")
	if err := os.WriteFile(path, []byte(strings.Join(lines, "\n")), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func node(files ...string) Checker { return Checker{HostName: "Node1", Port: "22", Files: files} }

func TestKnownKeyPasses(t *testing.T) {
	_, key := newKey(t)
	_, other := newKey(t)
	for _, lines := range [][]string{
		{lineFor("node1", key)},
		{"no line at all", "# comment", lineFor("node1", other), lineFor("x,node1", key)},
		{lineFor(knownhosts.HashHostname("node1"), key)},
		{lineFor("node?,!node2", key)},
	} {
		if err := node(knownFile(t, lines...)).Check("", nil, key); err != nil {
			t.Errorf("%q: %v", lines, err)
		}
	}
}

func TestPorts(t *testing.T) {
	_, key := newKey(t)
	_, other := newKey(t)
	c := Checker{HostName: "node1", Port: "2222"}
	for text, want := range map[string]any{
		"[node1]:2222": nil,
		"node1":        nil, // the key of port 22 is good for other ports
		"[node1]:2223": &UnknownError{},
	} {
		c.Files = []string{knownFile(t, lineFor(text, key))}
		if err := c.Check("", nil, key); reflect.TypeOf(err) != reflect.TypeOf(want) {
			t.Errorf("%s: %v, want %T", text, err, want)
		}
	}
	c.Files = []string{knownFile(t, lineFor("node1", other))}
	if err := c.Check("", nil, key); !errors.As(err, new(*UnknownError)) {
		t.Errorf("another key on port 22: %v", err)
	}
}

func TestUnknownChangedRevoked(t *testing.T) {
	_, key := newKey(t)
	_, other := newKey(t)
	for _, accept := range []bool{false, true} {
		c := node(knownFile(t, lineFor("node1", other)))
		c.AcceptNew = accept
		var changed *ChangedError
		if err := c.Check("", nil, key); !errors.As(err, &changed) || changed.Line != 1 {
			t.Errorf("accept %v: changed key: %v", accept, err)
		}
		c.Files = []string{knownFile(t, "@revoked * "+marshal(key), lineFor("node1", key))}
		if err := c.Check("", nil, key); !errors.As(err, new(*RevokedError)) {
			t.Errorf("accept %v: revoked key: %v", accept, err)
		}
	}
	err := node(filepath.Join(t.TempDir(), "none")).Check("", nil, key)
	var unknown *UnknownError
	if !errors.As(err, &unknown) || !strings.Contains(err.Error(), "SHA256:") || !strings.Contains(unknown.Hint(), "ssh-keyscan -p 22 -t ed25519 Node1 >> ") {
		t.Errorf("unknown host: %v", err)
	}
}

func TestAcceptNewNotesTheKeyOnce(t *testing.T) {
	_, key := newKey(t)
	_, late := newKey(t)
	c := node(knownFile(t, "no end of line"), filepath.Join(t.TempDir(), "none"))
	c.AcceptNew = true
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			if err := c.Check("", nil, key); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	content, err := os.ReadFile(c.Files[0])
	if err != nil {
		t.Fatal(err)
	}
	if want := "no end of line\n" + lineFor("node1", key) + "\n"; string(content) != want {
		t.Errorf("got %q, want %q", content, want)
	}
	if err := c.Check("", nil, late); !errors.As(err, new(*ChangedError)) {
		t.Errorf("a second key: %v", err)
	}
}

func TestCertificates(t *testing.T) {
	authority, authorityKey := newKey(t)
	_, key := newKey(t)
	cert := func(change func(*ssh.Certificate)) *ssh.Certificate {
		c := &ssh.Certificate{Key: key, CertType: ssh.HostCert, ValidPrincipals: []string{"Node1"}, ValidBefore: ssh.CertTimeInfinity}
		change(c)
		if err := c.SignCert(rand.Reader, authority); err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := node(knownFile(t, "@cert-authority node* "+marshal(authorityKey)))
	if err := c.Check("", nil, cert(func(*ssh.Certificate) {})); err != nil {
		t.Error(err)
	}
	for name, change := range map[string]func(*ssh.Certificate){
		"principal": func(c *ssh.Certificate) { c.ValidPrincipals = []string{"other"} },
		"user":      func(c *ssh.Certificate) { c.CertType = ssh.UserCert },
		"expired":   func(c *ssh.Certificate) { c.ValidBefore = uint64(time.Now().Add(-time.Hour).Unix()) },
	} {
		if err := c.Check("", nil, cert(change)); !errors.As(err, new(*CertificateError)) {
			t.Errorf("%s: %v", name, err)
		}
	}
	c.Files = append(c.Files, knownFile(t, "@revoked * "+marshal(authorityKey)))
	if err := c.Check("", nil, cert(func(*ssh.Certificate) {})); !errors.As(err, new(*RevokedError)) {
		t.Errorf("revoked authority: %v", err)
	}
	if err := c.Check("", nil, key); !errors.As(err, new(*ChangedError)) {
		t.Errorf("a plain key where an authority is known: %v", err)
	}
}

func TestAlgorithmsAreThoseOfKnownKeys(t *testing.T) {
	private, err := rsa.GenerateKey(rand.Reader, 2048)
	if err != nil {
		t.Fatal(err)
	}
	rsaKey, err := ssh.NewPublicKey(&private.PublicKey)
	if err != nil {
		t.Fatal(err)
	}
	_, key := newKey(t)
	for _, c := range []struct {
		lines []string
		want  []string
	}{
		{[]string{lineFor("other", key)}, Usual()[6:]},
		{[]string{lineFor("node1", rsaKey)}, []string{"rsa-sha2-512", "rsa-sha2-256"}},
		{[]string{lineFor("node1", rsaKey), lineFor("node1", key)}, []string{"ssh-ed25519", "rsa-sha2-512", "rsa-sha2-256"}},
		{[]string{"@cert-authority * " + marshal(key)}, []string{
			"ssh-ed25519-cert-v01@openssh.com", "ecdsa-sha2-nistp256-cert-v01@openssh.com", "ecdsa-sha2-nistp384-cert-v01@openssh.com",
			"ecdsa-sha2-nistp521-cert-v01@openssh.com", "rsa-sha2-512-cert-v01@openssh.com", "rsa-sha2-256-cert-v01@openssh.com"}},
	} {
		got, err := node(knownFile(t, c.lines...)).Algorithms()
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%q: %q, %v, want %q", c.lines, got, err, c.want)
		}
	}
}

// What ssh-keygen hashed and finds is found here too.
func TestAgreesWithSSHKeygen(t *testing.T) {
	enginetest.Need(t, "ssh-keygen")
	_, key := newKey(t)
	path := knownFile(t, lineFor("node1", key), lineFor("[node2]:2222", key), "")
	if out, err := exec.Command("ssh-keygen", "-H", "-f", path).CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	for _, c := range []Checker{{HostName: "node1", Port: "22"}, {HostName: "node2", Port: "2222"}, {HostName: "node2", Port: "22"}} {
		c.Files = []string{path}
		theirs := exec.Command("ssh-keygen", "-F", c.Name(), "-f", path).Run() == nil
		if ours := c.Check("", nil, key) == nil; ours != theirs {
			t.Errorf("%s: known %v, ssh-keygen says %v", c.Name(), ours, theirs)
		}
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte("@cert-authority *.example ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIJdD7y3aLq454yWBdwLWbieU1ebz9/cu7/QEXn9OIeZJ x\n|1|a|b ssh-rsa AAAA"), "node1")
	f.Fuzz(func(t *testing.T, content []byte, name string) {
		for _, e := range parse("known_hosts", content) {
			if e.key == nil {
				t.Error("an entry without a key")
			}
			e.matches(name)
		}
	})
}

func marshal(key ssh.PublicKey) string { return string(ssh.MarshalAuthorizedKey(key)) }
