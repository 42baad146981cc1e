package main

import (
	"bytes"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"

	"mpf/engine/enginetest"
	"mpf/remote/remotetest"
)

// onMachines makes a cluster file of machines beside a directory's campaigns, as
// a user reaches them.
func onMachines(t *testing.T, dir, user, rest string, machines []*remotetest.Machine) {
	t.Helper()
	config, hosts := "", "ssh: {config: ssh_config}\nhosts:\n"
	for _, m := range machines {
		config += m.Alias(user)
		hosts += "  " + m.Name + ": {}\n"
	}
	writeFile(t, filepath.Join(dir, "ssh_config"), config)
	writeFile(t, filepath.Join(dir, "cluster.yaml"), hosts+rest)
}

// overSSH is mpf with the home of whoever tests: agents are made once.
func overSSH(t *testing.T, dir string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := mpf(t.Context(), dir, args...)
	cmd.Env = append(cmd.Env, "HOME="+os.Getenv("HOME"))
	return cmd
}

func succeed(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	var said bytes.Buffer
	cmd.Stderr = &said
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%q: %v\n%s", cmd.Args, err, said.Bytes())
	}
	return string(out) + said.String()
}

// Every word of steps does over ssh what the reference says, for a user without
// privileges, and of what they start nothing stays.
func TestEveryWordOverSSH(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "go", "perl")
	machines := remotetest.Machines(t, 3)
	dir := t.TempDir()
	onMachines(t, dir, "alice", "roles: {server: [n1], client: [n2, n3]}\n", machines)
	if err := os.CopyFS(dir, os.DirFS("testdata/words")); err != nil {
		t.Fatal(err)
	}
	said := succeed(t, overSSH(t, dir, "run", "-v", "-c", "cluster.yaml", "-o", "out", "words.star"))
	for _, want := range []string{"now ready", "last words", "hello", "rows: 2 ok in out"} {
		if !strings.Contains(said, want) {
			t.Errorf("live output lacks %q:\n%s", want, said)
		}
	}
	var rows []struct {
		Place []int    `json:"place"`
		Every []string `json:"every"`
		Run   string   `json:"run_id"`
	}
	shown := succeed(t, overSSH(t, dir, "show", "--json", "--columns", "place,every,run_id", "out"))
	if err := json.Unmarshal([]byte(shown), &rows); err != nil || len(rows) != 2 {
		t.Fatalf("%s: %v", shown, err)
	}
	for _, row := range rows {
		if !slices.Equal(row.Place, []int{0, 1}) || !slices.Equal(row.Every, []string{"n2", "n3"}) {
			t.Errorf("gathered %+v", row)
		}
		checkFetched(t, filepath.Join(dir, "out", "runs", row.Run, "1"))
	}
	for _, m := range machines {
		if left := strings.Join(m.Processes(), "\n"); strings.Contains(left, "sleep 1000") || strings.Contains(left, "perl") {
			t.Errorf("on %s still run %q", m.Name, left)
		}
	}
}

// checkFetched looks at what a run left on the controller: what was fetched, and
// what a process in the background printed until it was stopped.
func checkFetched(t *testing.T, folder string) {
	t.Helper()
	for _, host := range []string{"n2", "n3"} {
		back := filepath.Join(folder, "files", host, "back")
		for name, mode := range map[string]os.FileMode{"ä 'b' $c": 0o644, "sub/run": 0o755, "hollow": os.ModeDir | 0o751} {
			if info, err := os.Lstat(filepath.Join(back, name)); err != nil || info.Mode() != mode {
				t.Errorf("%s: %v, %v, want mode %v", name, info, err, mode)
			}
		}
	}
	stdout, err := os.ReadFile(filepath.Join(folder, "stdout"))
	if err != nil || !bytes.Contains(stdout, []byte("served\nserved\n")) {
		t.Errorf("kept of what the server printed: %q, %v", stdout, err)
	}
}

// loud prints 100 MB twice, once in a step and once in the background.
const loud = `experiment("loud", replicates = 1, sample = False)
machine = role("machine")
def shout(ctx):
    p = ctx.start("sh", "-c", "head -c 100000000 /dev/zero | tr '\\0' b; echo")
    out = ctx.sh("head -c 100000000 /dev/zero | tr '\\0' a; echo")
    p.wait()
    return {"whole": not out.truncated}
machine.step(shout)
`

// What a command prints beyond all bounds costs the controller bounded memory.
func TestOutputBeyondAllBoundsOverSSH(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "go")
	machines := remotetest.Machines(t, 1)
	dir := t.TempDir()
	onMachines(t, dir, "alice", "roles: {machine: [n1]}\n", machines)
	writeFile(t, filepath.Join(dir, "loud.star"), loud)
	cmd := overSSH(t, dir, "run", "-c", "cluster.yaml", "-o", "out", "loud.star")
	succeed(t, cmd)
	usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage)
	if !ok {
		t.Fatal("no usage")
	}
	const kept = 2 * 64 << 20 // of the two commands
	if info, err := os.Stat(stdoutOf(t, dir)); err != nil || info.Size() != kept {
		t.Errorf("%v, %v: want a file of %d bytes", info, err, kept)
	}
	held := int64(usage.Maxrss) << 10
	t.Logf("the controller held at most %d MiB", held>>20)
	if held > 3*kept && !underRace() {
		t.Errorf("the controller held %d MiB", held>>20)
	}
}

// underRace reports whether the race detector is at work, which takes memory of
// its own.
func underRace() bool {
	info, ok := debug.ReadBuildInfo()
	return ok && slices.Contains(info.Settings, debug.BuildSetting{Key: "-race", Value: "true"})
}

func stdoutOf(t *testing.T, dir string) string {
	t.Helper()
	found, err := filepath.Glob(filepath.Join(dir, "out", "runs", "*", "1", "stdout"))
	if err != nil || len(found) != 1 {
		t.Fatalf("%q, %v", found, err)
	}
	return found[0]
}
