package main

import (
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"mpf/engine"
	"mpf/remote/remotetest"
)

// printing is a campaign of runs that print more than one network packet.
const printing = `
experiment("printing", replicates = %d, sample = False)
variable("n", range(10))
client = role("client")
def step(ctx, n):
    return {"m": n, "size": len(ctx.run("head", "-c", "20000", "/dev/zero").stdout)}
client.step(step)
`

// onServer makes a campaign on one host, which a block of ssh_config describes.
func onServer(t *testing.T, replicates int, block string) *underway {
	u := newUnderway(t, "printing.star")
	u.flags = []string{"--shared-host", "-c", "cluster.yaml"}
	writeFile(t, filepath.Join(u.dir, "printing.star"), fmt.Sprintf(printing, replicates))
	writeFile(t, filepath.Join(u.dir, "ssh_config"), block)
	writeFile(t, filepath.Join(u.dir, "cluster.yaml"), "ssh: {config: ssh_config}\nlease: 2s\nhosts: {n: {}}\nroles: {client: n}\n")
	return u
}

// expectRows wants each run ok once, with the results that belong to it.
func (u *underway) expectRows(want int) {
	u.Helper()
	rows := map[engine.RunID]bool{}
	for a, err := range u.read().Attempts() {
		if err != nil {
			u.Fatal(err)
		}
		if a.Done.Status != engine.OK {
			continue
		}
		run := a.Start.Run
		if rows[run.ID] {
			u.Errorf("run %s is ok twice", run.ID)
		}
		rows[run.ID] = true
		if r := a.Done.Results; len(r) != 2 || r[0].Value != int64(run.Treatment[0]) || r[1].Value != int64(20000) {
			u.Errorf("run %s has the results %v", run.ID, r)
		}
	}
	if len(rows) != want {
		u.Errorf("%d runs are ok, want %d", len(rows), want)
	}
}

// Wherever the connection is cut, no row is lost or doubled.
func TestAConnectionThatIsCutAgainAndAgainLosesNoRow(t *testing.T) {
	t.Parallel()
	cuts, apart, replicates := int64(20), int64(4), 6
	if *sweep {
		cuts, apart, replicates = 160, 1, 100
	}
	s := remotetest.Sshd(t)
	p := remotetest.NewProxy(t, s.Addr)
	u := onServer(t, replicates, strings.Replace(s.Alias("n", "HostKeyAlias [127.0.0.1]:"+s.Port), "Port "+s.Port, "Port "+p.Port, 1))
	u.start()
	u.awaitProgress("the first run", func(p pulse) bool { return p.ok > 0 }) // the agent was sent
	for i := range cuts {
		before := p.Cuts()
		p.CutAfter((6 + i*apart) << 10) // below it no handshake ends
		p.Cut()
		for end := time.Now().Add(patience); p.Cuts() == before; time.Sleep(time.Millisecond) {
			u.startAgain()
			if time.Now().After(end) {
				t.Fatalf("nothing passes after cut %d\n%s", i, &u.talk)
			}
		}
	}
	p.CutAfter(0)
	u.finish()
	u.expectRows(10 * replicates)
}

// startAgain continues a campaign whose mpf has ended.
func (u *underway) startAgain() {
	select {
	case <-u.ended:
		u.command = nil
	default:
	}
	u.start()
}

// Another key in the middle of a campaign is another machine, or somebody in
// between: nobody waits for that to pass.
func TestAHostKeyThatChangesEndsTheCampaign(t *testing.T) {
	t.Parallel()
	s := remotetest.Sshd(t)
	u := onServer(t, 10, s.Alias("n"))
	release := u.hold()
	u.start()
	u.awaitProgress("the first runs", func(p pulse) bool { return p.ok > 1 })
	s.Crash()
	back := s.NewHostKey()
	s.Start()
	if code := u.exit("a changed key"); code != exitHosts || !strings.Contains(u.talk.String(), "CHANGED") {
		t.Errorf("mpf ended with %d\n%s", code, &u.talk)
	}
	u.start()
	if code := u.exit("a key that stays changed"); code != exitHosts {
		t.Errorf("mpf ended with %d\n%s", code, &u.talk)
	}
	s.Stop()
	back()
	release()
	s.Start()
	u.finish()
	u.expectRows(100)
}

// spoil leads to a host, and the first time puts something into what it says.
const spoil = `
export XDG_CACHE_HOME="$PWD/host"
if mkdir spoiled 2>/dev/null; then
    "$@" | { dd bs=1 count=20000 2>/dev/null; echo junk; exec cat; }
else
    exec "$@"
fi
`

// What an agent can never have said ends its link, and the run is repeated.
func TestAStreamThatIsSpoiledIsABreachOfProtocol(t *testing.T) {
	t.Parallel()
	u := onServer(t, 1, "")
	writeFile(t, filepath.Join(u.dir, "spoil.sh"), spoil)
	writeFile(t, filepath.Join(u.dir, "cluster.yaml"), "lease: 2s\nhosts: {n: {exec: [sh, spoil.sh]}}\nroles: {client: n}\n")
	u.finish()
	u.expectRows(10)
	if said := "unreachable (protocol)"; !strings.Contains(u.talk.String(), said) {
		t.Errorf("nobody was told %q\n%s", said, &u.talk)
	}
}

// Two campaigns spoil each other's figures: the second is refused, or both are
// marked.
func TestTwoCampaignsOnOneHost(t *testing.T) {
	t.Parallel()
	u := newUnderway(t, "noop.star")
	writeFile(t, filepath.Join(u.dir, "noop.star"), fmt.Sprintf(noop, 10))
	release := u.hold()
	u.start()
	u.awaitProgress("the first run", func(p pulse) bool { return p.ok > 0 })
	second := u.mpf("run", "-o", "second", "noop.star")
	text, _ := second.CombinedOutput() // its code says more
	if code := second.ProcessState.ExitCode(); code != exitHosts || !strings.Contains(string(text), "the host is in use by mpf") {
		t.Errorf("the second ended with %d: %s", code, text)
	}
	u.signal(syscall.SIGINT)
	if code := u.exit("interrupted"); code != exitInterrupted {
		t.Errorf("mpf ended with %d\n%s", code, &u.talk)
	}
	release()
	u.flags = []string{"--shared-host", "--only", "n=1"}
	u.start()
	u.exit("with a part of the runs")
	marked := map[bool]int{}
	for a, err := range u.read().Attempts() {
		if err != nil {
			t.Fatal(err)
		}
		marked[a.Start.Hosts[0].Shared]++
	}
	if marked[true] == 0 || marked[false] == 0 {
		t.Errorf("attempts by whether their host was shared: %v", marked)
	}
}
