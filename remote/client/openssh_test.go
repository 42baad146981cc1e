package client

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mpf/engine/enginetest"
	"mpf/remote/remotetest"
)

// Where ssh gets in without asking, so does mpf, and where it does not, neither
// does mpf.
func TestGetsInWhereSSHDoes(t *testing.T) {
	enginetest.Need(t, "ssh")
	gate, host, hardened := remotetest.Sshd(t), rsaServer(t), remotetest.Sshd(t, "Ciphers aes256-gcm@openssh.com", "KexAlgorithms diffie-hellman-group-exchange-sha256")
	file := filepath.Join(t.TempDir(), "file")
	for text, content := range map[string]string{"known": host.KnownHosts, "key": host.Key} {
		if err := os.Symlink(content, file+"-"+text+"-127.0.0.1"); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(file, []byte(gate.Alias("gate")), 0o600); err != nil {
		t.Fatal(err)
	}
	n := host.Alias("n")
	for what, config := range map[string]string{
		"plain":               n,
		"hardened":            hardened.Alias("n"),
		"old cipher":          host.Alias("n", "Ciphers 3des-cbc,aes128-cbc", "MACs hmac-sha1"),
		"nonsense of ours":    host.Alias("n", "Ciphers -*"),
		"kinds of key":        host.Alias("n", "HostKeyAlgorithms ssh-ed25519"),
		"no kind for login":   host.Alias("n", "PubkeyAcceptedAlgorithms -ssh-ed25519"),
		"revoked":             hardened.Alias("n", "RevokedHostKeys "+filepath.Join(hardened.Dir, "host.pub")),
		"revoked, not there":  host.Alias("n", "RevokedHostKeys /none"),
		"size":                host.Alias("n", "RequiredRSASize 8192"),
		"another name":        host.Alias("n", "HostKeyAlias other"),
		"known by its name":   host.Alias("n", "HostKeyAlias [127.0.0.1]:%p"),
		"jump":                gate.Alias("gate") + host.Alias("n", "ProxyJump gate"),
		"jump by tokens":      gate.Alias("gate-n") + host.Alias("n", "ProxyJump %r@gate-%n"),
		"jump not known":      gate.Alias("gate", "HostKeyAlias other") + host.Alias("n", "ProxyJump gate"),
		"command for nothing": host.Alias("n", "ProxyCommand false"),
		"match":               "Match originalhost n user !x,*\n Port " + host.Port + "\n" + n,
		"final":               strings.Replace(n, " IdentityFile", "Match final host 127.*\n IdentityFile", 1),
		"not final":           strings.Replace(n, " IdentityFile", "Match final host n\n IdentityFile", 1),
		"tokens":              strings.NewReplacer(host.Key, file+"-key-%h", host.KnownHosts, file+"-known-%h").Replace(n),
		"family":              host.Alias("n", "AddressFamily inet6"),
		"from":                host.Alias("n", "BindAddress 127.0.0.3", "ConnectTimeout 1m"),
		"whole names":         host.Alias("n", "CanonicalizeHostname yes", "CanonicalDomains none"),
		"lax":                 host.Alias("n", "CheckHostIP no", "UpdateHostKeys no", "Compression yes"),
	} {
		path := filepath.Join(t.TempDir(), "config")
		// ssh calls itself for a jump, with this file again.
		if err := os.WriteFile(path, []byte(config), 0o600); err != nil {
			t.Fatal(err)
		}
		said, theirs := exec.Command("ssh", "-F", path, "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes", "-n", "n", "true").CombinedOutput()
		_, ours := output(t, dialer(t, config), "n", "true")
		if (theirs == nil) != (ours == nil) {
			t.Errorf("%s: %v, and ssh: %v %s", what, ours, theirs, said)
		}
	}
}
