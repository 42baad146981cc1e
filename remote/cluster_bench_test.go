package remote_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote"
	"mpf/remote/client"
	"mpf/remote/inventory"
	"mpf/remote/remotetest"
	"mpf/remote/sshconfig"
)

// kex is the key exchange of all who take part in a comparison: what it costs
// depends on which one it is.
const kex = "curve25519-sha256"

// servers are many hosts on this machine, as mpf and OpenSSH are told of them.
type servers struct {
	names   []string
	config  string // a file of OpenSSH
	cluster *inventory.Cluster
}

// manyServers starts 64. Each sees only its own processes, as a machine does;
// they share a home, so that the agent is sent once.
func manyServers(b *testing.B) servers {
	enginetest.Need(b, "ssh", "unshare")
	enginetest.NeedRoot(b)
	home := b.TempDir()
	var all servers
	var config strings.Builder
	hosts := "hosts:\n"
	for i := range 64 {
		s := remotetest.SshdBehind(b, []string{"unshare", "--pid", "--fork", "--mount-proc"},
			"KexAlgorithms "+kex, "SetEnv HOME="+home, "LogLevel INFO")
		name := fmt.Sprintf("h%02d", i)
		all.names = append(all.names, name)
		config.WriteString(s.Alias(name))
		hosts += "  " + name + ": {shared: true}\n"
	}
	all.config = configFile(b, config.String())
	all.cluster = cluster(b, config.String(), hosts)
	return all
}

func (s servers) list() string { return strings.Join(s.names, ",") }

// sshOptions are those that every peer gives to ssh.
func (s servers) sshOptions() string { return "-F " + s.config + " -oKexAlgorithms=" + kex }

func (s servers) open(b *testing.B) *remote.Fleet {
	b.Helper()
	f, err := remote.Open(b.Context(), s.cluster, remote.Options{Link: quickest()})
	if err != nil {
		b.Fatal(err)
	}
	return f
}

// quickest leaves time for machines that are busy with each other.
func quickest() remote.LinkOptions {
	return remote.LinkOptions{Beat: time.Second, Lease: 20 * time.Second, Grace: time.Second, GiveUp: 40 * time.Second}
}

// all makes a call for each server at once.
func (s servers) all(call func(name string) error) error {
	errs := make([]error, len(s.names))
	var calls sync.WaitGroup
	for i, name := range s.names {
		calls.Go(func() { errs[i] = call(name) })
	}
	calls.Wait()
	return errors.Join(errs...)
}

// Many servers, cold: each is connected to, an agent started and asked for its
// facts, against one command by pdsh and by ClusterShell. What mpf's own
// connections cost without an agent, for the same command, is printed beside it:
// the servers' part, which all have in common on a machine that carries both.
func BenchmarkManyServers(b *testing.B) {
	s := manyServers(b)
	if err := s.open(b).Close(); err != nil { // sends the agent
		b.Fatal(err)
	}
	b.Setenv("PDSH_SSH_ARGS", s.sshOptions())
	for peer, argv := range map[string][]string{
		"pdsh":  {"-R", "ssh", "-f", "64", "-w", s.list(), "true"},
		"clush": {"-o", s.sshOptions(), "-f", "64", "-w", s.list(), "true"},
	} {
		b.Run(peer, func(b *testing.B) {
			enginetest.Need(b, peer)
			var ours, bare, theirs []time.Duration
			for b.Loop() {
				timed(b, &ours, func() error { return s.open(b).Close() })
				timed(b, &theirs, script(peer, argv...))
				timed(b, &bare, func() error { return s.bare(b) })
			}
			b.ReportMetric(float64(median(ours))/float64(median(theirs)), "of-"+peer)
			b.ReportMetric(float64(median(bare))/float64(median(theirs)), "without-agent-of-"+peer)
			b.ReportMetric(median(ours).Seconds(), "s/64-hosts")
		})
	}
}

// bare runs true over connections of their own, without an agent.
func (s servers) bare(b *testing.B) error {
	config, err := sshconfig.Load(sshconfig.User{Home: b.TempDir(), Getenv: os.Getenv}, s.config)
	if err != nil {
		return err
	}
	d := &client.Dialer{Config: config}
	return s.all(func(name string) error { return runTrue(b.Context(), d, name) })
}

func runTrue(ctx context.Context, d *client.Dialer, host string) error {
	conn, err := d.Dial(ctx, client.Destination{Host: host})
	if err != nil {
		return err
	}
	defer conn.Close()
	session, err := conn.Start(ctx, "true")
	if err != nil {
		return err
	}
	defer session.Close()
	return session.Wait()
}

// Many servers, warm: a command on each over what is open, against the raw
// module of ansible, which keeps connections of ssh open for its next round.
func BenchmarkWarmRound(b *testing.B) {
	enginetest.Need(b, "ansible")
	s := manyServers(b)
	f := s.open(b)
	defer f.Close()
	workspaces := map[string]engine.Workspace{}
	for _, name := range s.names {
		w, err := f.Host(name).Open(b.Context(), remotetest.NewAttempt())
		if err != nil {
			b.Fatal(err)
		}
		defer w.Close(b.Context())
		workspaces[name] = w
	}
	round := func() error {
		return s.all(func(name string) error {
			_, err := workspaces[name].Run(b.Context(), engine.Command{Argv: []string{"true"}})
			return err
		})
	}
	ansible := s.ansible(b)
	if err := ansible(); err != nil { // connects
		b.Fatal(err)
	}
	theirs, ours := paired(b, ansible, round)
	b.ReportMetric(float64(theirs)/float64(ours), "times-faster-than-ansible")
	b.ReportMetric(ours.Seconds(), "s/64-hosts")
}

// ansible runs true on all servers by the raw module.
func (s servers) ansible(b *testing.B) func() error {
	b.Helper()
	sockets, err := os.MkdirTemp("/tmp", "cp") // the path of a socket is short
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = os.RemoveAll(sockets) })
	inventory := filepath.Join(b.TempDir(), "inventory")
	if err := os.WriteFile(inventory, []byte(strings.Join(s.names, "\n")+"\n"), 0o600); err != nil {
		b.Fatal(err)
	}
	b.Setenv("LC_ALL", "C.UTF-8")
	b.Setenv("ANSIBLE_SSH_ARGS", s.sshOptions()+" -oControlMaster=auto -oControlPersist=120 -oControlPath="+sockets+"/%C")
	return script("ansible", "all", "-i", inventory, "-f", fmt.Sprint(len(s.names)), "-m", "raw", "-a", "true")
}
