package remote_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/remote"
	"mpf/remote/inventory"
	"mpf/remote/remotetest"
)

// cluster writes a cluster file beside a configuration of OpenSSH.
func cluster(t testing.TB, config, hosts string) *inventory.Cluster {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{"ssh_config": config, "cluster.yaml": "ssh: {config: ssh_config}\n" + hosts} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	c, err := inventory.Read(filepath.Join(dir, "cluster.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func open(t testing.TB, c *inventory.Cluster) *remote.Fleet {
	t.Helper()
	o := remote.Options{Link: quick()}
	o.Link.Campaign = remotetest.NewAttempt().Nonce
	f, err := remote.Open(t.Context(), c, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	return f
}

const oneShared = "hosts: {n: {shared: true}}\n"

func TestSSHIsAHost(t *testing.T) {
	s := remotetest.Sshd(t)
	remotetest.HostContract(t, func(t *testing.T) engine.Host {
		f, err := remote.Open(t.Context(), cluster(t, s.Alias("n"), oneShared), remote.Options{Link: quick()})
		if err != nil {
			t.Fatal(err)
		}
		return f.Host("n")
	})
}

func TestSSHThroughAJumpHostIsAHost(t *testing.T) {
	gate, s := remotetest.Sshd(t), remotetest.Sshd(t)
	remotetest.HostContract(t, func(t *testing.T) engine.Host {
		f, err := remote.Open(t.Context(), cluster(t, gate.Alias("gate")+s.Alias("n", "ProxyJump gate"), oneShared), remote.Options{Link: quick()})
		if err != nil {
			t.Fatal(err)
		}
		return f.Host("n")
	})
}

func TestOpenSaysOfEveryHostWhatIsWrong(t *testing.T) {
	good, down, strange := remotetest.Sshd(t), remotetest.Sshd(t), remotetest.Sshd(t)
	down.Stop()
	if err := os.WriteFile(strange.KnownHosts, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	c := cluster(t, good.Alias("good", "StrictHostKeyChecking no")+down.Alias("down")+strange.Alias("strange"),
		"hosts: {good: {shared: true}, down: {}, strange: {}}\n")
	f, err := remote.Open(t.Context(), c, remote.Options{Link: quick()})
	if f == nil || err == nil {
		t.Fatalf("%v, %v", f, err)
	}
	defer f.Close()
	lines := strings.Split(err.Error(), "\n")
	if len(lines) != 2 || !strings.HasPrefix(lines[0], `host "down": `) || !strings.Contains(lines[0], "connection refused") ||
		!strings.HasPrefix(lines[1], `host "strange": `) || !strings.Contains(lines[1], "is unknown: ssh-ed25519 SHA256:") {
		t.Errorf("got %q", lines)
	}
	if f.Host("good") == nil || f.Host("down") != nil {
		t.Error("the fleet does not hold what was reached")
	}
	if len(f.Warnings) != 1 || !strings.Contains(f.Warnings[0], "StrictHostKeyChecking no: ignored") {
		t.Errorf("warnings %q", f.Warnings)
	}
}

func TestNamesOfOneMachineAreSaid(t *testing.T) {
	s := remotetest.Sshd(t)
	f := open(t, cluster(t, s.Alias("a b"), "hosts: {a: {shared: true}, b: {shared: true}}\n"))
	if len(f.Warnings) != 1 || !strings.HasPrefix(f.Warnings[0], "hosts a, b are one machine") {
		t.Errorf("warnings %q", f.Warnings)
	}
}
