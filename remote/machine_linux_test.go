package remote_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote"
	"mpf/remote/remotetest"
)

// fleet opens machines as hosts n1, n2, ... that a user logs in to.
func fleet(t *testing.T, machines []*remotetest.Machine, user string) *remote.Fleet {
	t.Helper()
	config, hosts := "", "hosts:\n"
	for _, m := range machines {
		config += m.Alias(user)
		hosts += "  " + m.Name + ": {}\n"
	}
	return open(t, cluster(t, config, hosts))
}

func text(t *testing.T, h engine.Host, argv ...string) string {
	t.Helper()
	out, err := work(t.Context(), h, argv...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out.Stdout.Data))
}

func TestMachinesOfAUserWithoutPrivileges(t *testing.T) {
	t.Parallel()
	machines := remotetest.Machines(t, 2)
	f := fleet(t, machines, "alice")
	for _, m := range machines {
		h := f.Host(m.Name)
		if got := text(t, h, "sh", "-c", "id -un; hostname"); got != "alice\n"+m.Name {
			t.Errorf("%s says %q", m.Name, got)
		}
		if h.Info().BootID != m.BootID() || h.Info().Address != m.Address {
			t.Errorf("%s: %+v", m.Name, h.Info())
		}
		attempt, _ := running(t, h)
		if err := h.Close(); err != nil {
			t.Error(err)
		}
		for end := time.Now().Add(10 * time.Second); strings.Contains(strings.Join(m.Processes(), "\n"), "sleep 1000"); time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("%s: after the end of %s there is %q", m.Name, attempt.Nonce, m.Processes())
			}
		}
	}
	if len(f.Warnings) != 0 {
		t.Errorf("warnings %q", f.Warnings)
	}
}

func TestAMachineThatLosesPowerAndComesBack(t *testing.T) {
	t.Parallel()
	machines := remotetest.Machines(t, 2)
	f := fleet(t, machines, "root")
	attempt, ended := running(t, f.Host("n1"))
	machines[0].Crash()
	mustBeUnreachable(t, within(t, quick().GiveUp+2*time.Second, ended))
	if _, err := work(t.Context(), f.Host("n2"), "true"); err != nil {
		t.Errorf("the other machine: %v", err)
	}
	machines[0].Boot()
	if err := f.Host("n1").Reach(t.Context()); err != nil {
		t.Fatal(err)
	}
	if fenced, err := f.Host("n1").Fence(t.Context(), attempt); err != nil || fenced.How != "rebooted" {
		t.Errorf("fenced %+v, %v", fenced, err)
	}
	if got := f.Host("n1").Info().BootID; got != machines[0].BootID() {
		t.Errorf("boot id %q, want that of the new boot", got)
	}
	if _, err := work(t.Context(), f.Host("n1"), "true"); err != nil {
		t.Error(err)
	}
}

func TestAMachineThatHangs(t *testing.T) {
	t.Parallel()
	m := remotetest.Machines(t, 1)
	f := fleet(t, m, "alice")
	attempt, ended := running(t, f.Host("n1"))
	m[0].Hang()
	mustBeUnreachable(t, within(t, quick().GiveUp+2*time.Second, ended))
	m[0].Thaw()
	if err := f.Host("n1").Reach(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := f.Host("n1").Fence(t.Context(), attempt); err != nil {
		t.Error(err)
	}
	if left := strings.Join(m[0].Processes(), "\n"); strings.Contains(left, "sleep 1000") {
		t.Errorf("after the fence there is %q", left)
	}
}

// A kilobyte a second is enough, and what the host measures does not depend on
// the link.
func TestALinkOfAKilobyteASecond(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "tc")
	m := remotetest.Machines(t, 1)[0]
	f, err := remote.Open(t.Context(), cluster(t, m.Alias("alice"), "hosts: {n1: {}}\n"), remote.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	readings := &remotetest.Readings{}
	attempt := remotetest.NewAttempt()
	attempt.Readings, attempt.Sampling = readings, engine.Sampling{Period: time.Second}
	w, err := f.Host("n1").Open(t.Context(), attempt)
	if err != nil {
		t.Fatal(err)
	}
	m.Rate("8kbit")
	const size = 4 << 10
	out, err := w.Run(t.Context(), engine.Command{Argv: []string{"sh", "-c", fmt.Sprintf("sleep 0.2; head -c %d /dev/urandom", size)}})
	if err != nil || out.Stdout.Size != size || len(out.Stdout.Data) != size {
		t.Fatalf("%d bytes of %d, %v", len(out.Stdout.Data), out.Stdout.Size, err)
	}
	if out.Seconds < 0.2 || out.Seconds > 4 {
		t.Errorf("a command of 0.2 s took %g s by its host", out.Seconds)
	}
	closing, err := w.Close(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	all := readings.All()
	if len(all) != closing.Readings || len(all) < 5 {
		t.Errorf("%d of %d readings came", len(all), closing.Readings)
	}
	for i := 1; i < len(all); i++ {
		if gap := all[i].Mono - all[i-1].Mono; gap < 100*time.Millisecond {
			t.Errorf("readings %d and %d are %s apart", i-1, i, gap)
		}
	}
}

func TestWhatStopsAnAgentNamesTheEdit(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "taskset", "ip")
	m := remotetest.Machines(t, 1)[0]
	if out, err := m.Exec("ip", "netns", "add", "red"); err != nil {
		enginetest.Unmet(t, "ip netns add: %v: %s", err, out)
	}
	for _, c := range []struct{ user, part, want string }{
		{"root", "cpus: 4095", "name processors in cpus: that the host has"},
		{"root", "namespace: rde", "make it there with ip netns add, or mend namespace: in the cluster file"},
		{"alice", "namespace: red", "add become: root to the host"},
	} {
		hosts := "hosts:\n  n1: {}\n  part: {of: n1, " + c.part + "}\n"
		f, err := remote.Open(t.Context(), cluster(t, m.Alias(c.user), hosts), remote.Options{Link: quick()})
		if err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v", c.part, err)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestNamespacesAndCPUSetsAreHosts(t *testing.T) {
	t.Parallel()
	m := remotetest.Machines(t, 1)[0]
	for _, words := range []string{"netns add red", "netns exec red ip link set lo up"} {
		if out, err := m.Exec(append([]string{"ip"}, strings.Fields(words)...)...); err != nil {
			enginetest.Unmet(t, "ip %s: %v: %s", words, err, out)
		}
	}
	f := open(t, cluster(t, m.Alias("root"), `hosts:
  n1: {}
  red: {of: n1, namespace: red, interfaces: {data: 127.0.0.1}}
  fast: {of: n1, cpus: 0}
`))
	if got := text(t, f.Host("red"), "ls", "/sys/class/net"); strings.Contains(got, "eth0") {
		t.Errorf("in the namespace: %q", got)
	}
	if got := text(t, f.Host("fast"), "sh", "-c", "taskset -cp $$ | cat | sed 's/.*: //'"); got != "0" {
		t.Errorf("CPUs of the set: %q", got)
	}
	if f.Host("red").Info().Address != "127.0.0.1" || f.Host("fast").Info().Address != m.Address {
		t.Errorf("addresses %q and %q", f.Host("red").Info().Address, f.Host("fast").Info().Address)
	}
}
