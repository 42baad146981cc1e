package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"mpf/remote/remotetest"
)

// While a host is away its run has a row, the other group goes on from block to
// block, and mpf may be ended. Whoever goes on makes sure that nothing of the lost
// attempt runs there before anything else begins.
func TestAHostThatIsAwayHoldsNothingUp(t *testing.T) {
	for name, blow := range map[string]syscall.Signal{"interrupted": syscall.SIGINT, "killed": syscall.SIGKILL} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			machines := remotetest.Machines(t, 2)
			u := newUnderway(t, "away.star")
			u.flags = []string{"-c", "cluster.yaml"}
			writeFile(t, filepath.Join(u.dir, "ssh_config"), machines[0].Alias("alice")+machines[1].Alias("alice"))
			writeFile(t, filepath.Join(u.dir, "cluster.yaml"),
				"ssh: {config: ssh_config}\nlease: 2s\nhosts: {n1: {}, n2: {}}\nroles: {client: [n1, n2]}\ngroups: {a: [n1], b: [n2]}\n")
			writeFile(t, filepath.Join(u.dir, "away.star"), `
experiment("away", replicates = 3, sample = False)
variable("n", [1, 2])
client = role("client")
def step(ctx):
    if ctx.host.name == "n2":
        ctx.sh("test -e ~/once || { touch ~/once; exec sleep 1000; }")
client.step(step)
`)
			u.start()
			u.awaitProgress("a run on n2", func(pulse) bool { return len(machines[1].Tagged("MPF_RUN=")) > 0 })
			machines[1].Crash()
			u.awaitProgress("the others' runs and the lost one's end", func(p pulse) bool { return p.ok == 5 && p.open == 0 })
			u.awaitProgress("its row", func(pulse) bool {
				text, err := u.mpf("show", "--failed", u.out).CombinedOutput()
				return err == nil && strings.Contains(string(text), "1 run unreachable (")
			})
			u.signal(blow)
			if code := u.exitWithin(20*time.Second, name); blow == syscall.SIGINT && code != exitInterrupted {
				t.Errorf("mpf ended with %d\n%s", code, u.talk.String())
			}
			machines[1].Boot()
			u.start()
			if code := u.exit("the end"); code != exitOK {
				t.Errorf("mpf ended with %d\n%s", code, u.talk.String())
			}
			want := []string{"DONE unreachable", "FENCE n2", "START", "DONE ok"}
			if got := u.afterLoss(); !slices.Equal(got, want) {
				t.Errorf("the record has %q, want %q\n%s", got, want, u.talk.String())
			}
		})
	}
}

// afterLoss lists what the journal holds of the run that was lost, from the end of
// its first attempt on.
func (u *underway) afterLoss() (events []string) {
	u.Helper()
	lost := ""
	for _, e := range u.events() {
		switch {
		case e.Event == "DONE" && e.Done.Status == "unreachable":
			lost = e.Run
			events = append(events, "DONE unreachable")
		case lost == "":
		case e.Event == "DONE" && e.Run == lost:
			events = append(events, "DONE "+e.Done.Status)
		case e.Event == "FENCE" && e.Run == lost:
			events = append(events, "FENCE "+e.Host)
		case e.Event == "START" && e.Start.Run.ID == lost:
			events = append(events, "START")
		}
	}
	return events
}

// A journalled event is what a test looks at of one.
type journalled struct {
	Event string
	Run   string
	Host  string
	Done  struct{ Status string }
	Start struct{ Run struct{ ID string } }
}

// events reads the journal, without any code of it.
func (u *underway) events() (all []journalled) {
	u.Helper()
	segments, err := filepath.Glob(filepath.Join(u.out, "journal", "*.jsonl"))
	if err != nil {
		u.Fatal(err)
	}
	for _, name := range segments {
		text, err := os.ReadFile(name)
		if err != nil {
			u.Fatal(err)
		}
		for line := range bytes.Lines(text) {
			var frame struct{ E []journalled }
			if err := json.Unmarshal(line, &frame); err != nil {
				u.Fatalf("%s: %v", name, err)
			}
			all = append(all, frame.E...)
		}
	}
	return all
}
