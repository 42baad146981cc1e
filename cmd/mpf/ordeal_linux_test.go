package main

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote/remotetest"
	"mpf/results/tables"
)

// ordealScript has two roles on three machines that talk to each other, needs
// what its setup started, and leaves what does not want to end.
const ordealScript = `
experiment("ordeal", replicates = %d)
variable("size", [1, 2, 3])
variable("mode", {"plain": None, "deep": "-d"})
variable("depth", [1, 2], when = {"mode": "deep"})
result("sum", int)
server = role("server")
client = role("client")

def prepare(ctx):
    ctx.start("sleep", "54321")

def serve(ctx, size, mode):
    ctx.run("pgrep", "-f", "^sleep 54321")
    ctx.start("sh", "-c", "touch up; exec sleep 1000", ready = file("up"))
    if size == 1 and not mode:
        ctx.sh("setsid sh -c 'trap \"\" TERM HUP INT; sleep 1000' >/dev/null 2>&1 &")

def measure(ctx, size, depth):
    greeting = ctx.run("bash", "--norc", "-c", "exec 3<>/dev/tcp/$0/22; head -c 4 <&3", ctx.addr(server)).stdout
    ctx.run("sleep", "0.1")
    ctx.sh("while test -e /tmp/hold; do touch /tmp/held; sleep 0.02; done")
    return {"greeting": greeting, "sum": size * (depth or 10) + ctx.rank}

server.setup(prepare)
server.step(serve)
client.step(measure, gather = lambda values: values[0] + values[1])
`

// An ordeal is a campaign on machines, and what happens to it.
type ordeal struct {
	*underway
	disk     string
	machines []*remotetest.Machine
}

// A blow is something that happens while a run is under way. Ends are the exit
// codes with which mpf may end by it; none: it must live on.
type blow struct {
	name string
	do   func(o *ordeal)
	ends []int
}

const killedCode = -1

var blows = []blow{
	{"mpf is killed", func(o *ordeal) { o.signal(syscall.SIGKILL) }, []int{killedCode}},
	{"an agent is killed", func(o *ordeal) { o.killAgents(1) }, nil},
	{"a server of ssh is killed", func(o *ordeal) { o.killSessions(0) }, nil},
	{"mpf is interrupted", func(o *ordeal) { o.signal(syscall.SIGINT) }, []int{exitInterrupted}},
	{"a machine loses power and comes back", func(o *ordeal) { o.machines[2].Crash(); o.machines[2].Boot() }, nil},
	{"mpf and its agents are killed", func(o *ordeal) { o.killAgents(0, 1, 2); o.signal(syscall.SIGKILL) }, []int{killedCode}},
	{"a cable is out for longer than the lease", func(o *ordeal) {
		o.machines[1].Unplug()
		time.Sleep(ordealLease + time.Second)
		o.machines[1].Plug()
	}, nil},
	{"mpf is terminated", func(o *ordeal) { o.signal(syscall.SIGTERM) }, []int{exitInterrupted}},
	{"the disk is full", func(o *ordeal) { o.fillDisk(); o.release() }, []int{exitStorage}},
	{"a machine hangs for longer than it is believed in", func(o *ordeal) {
		o.machines[0].Hang()
		time.Sleep(3*ordealLease + time.Second)
		o.machines[0].Thaw()
	}, nil},
	{"a machine reboots while mpf is dead", func(o *ordeal) {
		o.signal(syscall.SIGKILL)
		o.machines[1].Reboot()
	}, []int{killedCode}},
}

const ordealLease = 2 * time.Second

// A campaign on three machines that is hit by everything that may happen, and
// continued by the same command whenever mpf ended, has in the end the rows of
// one that nothing happened to, and leaves nothing running.
func TestACampaignThatEverythingHappensToEqualsAnUndisturbedOne(t *testing.T) {
	t.Parallel()
	replicates, rounds := 3, 1
	if *sweep {
		replicates, rounds = 30, 10
	}
	machines := remotetest.Machines(t, 3)
	calm := newOrdeal(t, machines, replicates)
	begun := time.Now()
	calm.finish()
	t.Logf("undisturbed: %.1f s", time.Since(begun).Seconds())
	o := newOrdeal(t, machines, replicates)
	for round := range rounds {
		for _, what := range blows {
			if round == 0 {
				o.hold() // later blows fall at any instant
			}
			o.suffer(what)
		}
	}
	o.finish()
	o.expectNothingLeft()
	o.expectCauses()
	if !bytes.Equal(o.plainTable(tables.RunsFile), calm.plainTable(tables.RunsFile)) {
		t.Error("the rows are others than those of an undisturbed campaign")
	}
	if out, err := o.mpf("verify", o.out).CombinedOutput(); err != nil {
		t.Errorf("verify: %v: %s", err, out)
	}
}

func newOrdeal(t *testing.T, machines []*remotetest.Machine, replicates int) *ordeal {
	t.Helper()
	o := &ordeal{underway: newUnderway(t, "ordeal.star"), machines: machines}
	o.disk = filepath.Join(o.dir, "disk")
	o.out = filepath.Join(o.disk, "out")
	o.flags = []string{"-c", "cluster.yaml"}
	if err := os.Mkdir(o.disk, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := syscall.Mount("tmpfs", o.disk, "tmpfs", 0, "size=32m"); err != nil {
		enginetest.Unmet(t, "cannot mount: %v", err)
	}
	t.Cleanup(func() {
		o.stop()
		if err := syscall.Unmount(o.disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	config := machines[0].Alias("alice") + machines[1].Alias("root") + machines[2].Alias("alice")
	writeFile(t, filepath.Join(o.dir, "ssh_config"), config)
	writeFile(t, filepath.Join(o.dir, "cluster.yaml"), fmt.Sprintf(
		"ssh: {config: ssh_config}\nlease: %.0fs\nhosts: {n1: {}, n2: {}, n3: {}}\nroles: {server: n1, client: [n2, n3]}\n", ordealLease.Seconds()))
	writeFile(t, filepath.Join(o.dir, "ordeal.star"), fmt.Sprintf(ordealScript, replicates))
	return o
}

// suffer lets a blow fall in the middle of a run, of the one that is held if one
// is to be, and waits until a later run has ended well.
func (o *ordeal) suffer(what blow) {
	o.Helper()
	o.start()
	begun := time.Now()
	o.awaitProgress(what.name, func(p pulse) bool { return p.open > 0 && o.holds() })
	before := o.pulse().ok
	what.do(o)
	if what.ends != nil {
		if code := o.exit(what.name); !slices.Contains(what.ends, code) {
			o.Fatalf("%s: mpf ended with %d, want one of %v\n%s", what.name, code, what.ends, &o.talk)
		}
		o.afterwards(what)
		o.start()
	}
	o.release()
	o.awaitProgress(what.name, func(p pulse) bool { return p.ok > before })
	o.Logf("%s: %.1f s", what.name, time.Since(begun).Seconds())
}

// hold makes the next run wait on the second machine, and release lets it go on.
func (o *ordeal) hold()    { o.onSecond("rm -f /tmp/held; touch /tmp/hold") }
func (o *ordeal) release() { o.onSecond("rm -f /tmp/hold") }

// holds reports whether a run waits that is to.
func (o *ordeal) holds() bool {
	_, err := o.machines[1].Exec("test", "-e", "/tmp/held", "-o", "!", "-e", "/tmp/hold")
	return err == nil
}

func (o *ordeal) onSecond(script string) {
	o.Helper()
	if out, err := o.machines[1].Exec("sh", "-c", script); err != nil {
		o.Fatalf("%s: %v: %s", script, err, out)
	}
}

// afterwards mends what a blow broke for mpf's own machine.
func (o *ordeal) afterwards(what blow) {
	if !slices.Contains(what.ends, exitStorage) {
		return
	}
	if _, err := os.Stat(filepath.Join(o.out, "failure.json")); err != nil {
		o.Errorf("%s: no word of it: %v", what.name, err)
	}
	if err := os.Remove(o.ballast()); err != nil {
		o.Fatal(err)
	}
}

func (o *ordeal) ballast() string { return filepath.Join(o.disk, "ballast") }

// fillDisk leaves no room on the disk of the campaign. It takes all at once:
// what mpf frees for its last word is mpf's. If mpf was faster it takes what is
// left then.
func (o *ordeal) fillDisk() {
	f, err := os.Create(o.ballast())
	if err != nil {
		o.Fatal(err)
	}
	defer f.Close()
	for err = syscall.ENOSPC; errors.Is(err, syscall.ENOSPC); {
		var disk syscall.Statfs_t
		if err = syscall.Statfs(o.disk, &disk); err == nil && disk.Bavail > 0 {
			err = syscall.Fallocate(int(f.Fd()), 0, 0, int64(disk.Bavail)*disk.Bsize)
		}
	}
	if err != nil {
		o.Fatal(err)
	}
}

func (o *ordeal) killAgents(on ...int) {
	for _, i := range on {
		if o.machines[i].Signal(syscall.SIGKILL, isAgent) == 0 {
			o.Errorf("%s has no agent", o.machines[i].Name)
		}
	}
}

func agentsOf(m *remotetest.Machine) []string {
	return slices.DeleteFunc(m.Processes(), func(line string) bool { return !isAgent(strings.Fields(line)) })
}

func isAgent(argv []string) bool { return len(argv) > 1 && argv[1] == "agent" }

func (o *ordeal) killSessions(on int) {
	if o.machines[on].Signal(syscall.SIGKILL, func(argv []string) bool {
		return strings.HasPrefix(argv[0], "sshd: ") && !strings.Contains(argv[0], "listener")
	}) == 0 {
		o.Errorf("%s serves no session", o.machines[on].Name)
	}
}

// expectNothingLeft waits for what a lease may take.
func (o *ordeal) expectNothingLeft() {
	o.Helper()
	for _, m := range o.machines {
		left := func() []string { return append(m.Tagged("MPF_RUN="), agentsOf(m)...) }
		for end := time.Now().Add(ordealLease + 5*time.Second); len(left()) > 0; time.Sleep(20 * time.Millisecond) {
			if time.Now().After(end) {
				o.Errorf("%s: there still runs %q", m.Name, left())
				break
			}
		}
	}
}

// expectCauses makes sure that the blows did what they are for.
func (o *ordeal) expectCauses() {
	o.Helper()
	seen := map[engine.Cause]int{}
	for a, err := range o.read().Attempts() {
		if err != nil {
			o.Fatal(err)
		}
		seen[a.Done.Cause]++
	}
	for _, cause := range []engine.Cause{engine.CauseRebooted, engine.CauseLease, engine.CauseLink, engine.CauseAgentDied, engine.CauseUser, engine.CauseEngineDied} {
		if seen[cause] == 0 {
			o.Errorf("no attempt ended by %q: %v\n%s", cause, seen, &o.talk)
		}
	}
	if said := "it was rebooted"; !strings.Contains(o.talk.String(), said) {
		o.Errorf("nobody was told %q\n%s", said, &o.talk)
	}
	o.Logf("attempts by cause: %v", seen)
}
