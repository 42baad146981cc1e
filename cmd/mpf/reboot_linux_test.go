package main

import (
	"path/filepath"
	"strings"
	"testing"

	"mpf/remote/remotetest"
)

// A run that outlives no boot of its host becomes a row that says so.
func TestARunWhoseHostRebootsEachTime(t *testing.T) {
	t.Parallel()
	m := remotetest.Machines(t, 1)[0]
	u := newUnderway(t, "wait.star")
	u.flags = []string{"-c", "cluster.yaml"}
	writeFile(t, filepath.Join(u.dir, "ssh_config"), m.Alias("alice"))
	writeFile(t, filepath.Join(u.dir, "cluster.yaml"), "ssh: {config: ssh_config}\nlease: 2s\nhosts: {n1: {}}\nroles: {client: n1}\n")
	writeFile(t, filepath.Join(u.dir, "wait.star"), `
experiment("wait", replicates = 1, sample = False)
variable("n", [1])
client = role("client")
def step(ctx):
    ctx.run("sleep", "1000")
client.step(step)
`)
	u.start()
	const attempts = 3
	for i := range attempts {
		u.awaitProgress("attempt", func(p pulse) bool { return p.starts == i+1 && len(m.Tagged("MPF_RUN=")) > 0 })
		m.Reboot()
	}
	if code := u.exit("the last attempt"); code != exitSomeFailed {
		t.Errorf("mpf ended with %d\n%s", code, u.talk.String())
	}
	text, err := u.mpf("show", "--failed", u.out).CombinedOutput()
	if err != nil || !strings.Contains(string(text), "unreachable (rebooted)") || !strings.Contains(string(text), "n1") {
		t.Errorf("%v: %s", err, text)
	}
}
