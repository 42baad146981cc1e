package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mpf/remote/remotetest"
)

const published = `
load("lib/units.star", "scale")
experiment("published", replicates = 2)
factor = flag("factor", 1)
variable("size", range(3))
server = role("server")
client = role("client")
def serve(ctx):
    ctx.run("true")
def measure(ctx, size):
    ctx.run("true")
    return {"scaled": scale(size) * factor, "peer": ctx.addr(server)}
server.step(serve)
client.step(measure)
`

// Whoever gets nothing but runs.parquet begins the same campaign on machines of
// their own: the same runs in the same order, with the flags of the first. The
// tables then join by run_id. The directory of the first may go on from that
// file alone, too.
func TestAStrangerReplaysFromTheOneFile(t *testing.T) {
	t.Parallel()
	machines := remotetest.Machines(t, 4)
	authors, stranger := t.TempDir(), t.TempDir()
	writeFile(t, filepath.Join(authors, "published.star"), published)
	if err := os.Mkdir(filepath.Join(authors, "lib"), 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(authors, "lib", "units.star"), "def scale(n):\n    return 1000 * n\n")
	twoHosts(t, authors, machines[:2])
	twoHosts(t, stranger, machines[2:])
	must(t, mpf(t.Context(), authors, "run", "-c", "cluster.yaml", "--flag", "factor=3", "-o", "out", "published.star"))
	paper, err := os.ReadFile(filepath.Join(authors, "out", "runs.parquet"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(stranger, "runs.parquet"), string(paper))

	must(t, mpf(t.Context(), stranger, "replay", "-c", "cluster.yaml", "-o", "mine", "runs.parquet"))
	same := "run_id,replicate,block,position,status,size,scaled"
	theirs := must(t, mpf(t.Context(), authors, "show", "--columns", same, "out"))
	if mine := must(t, mpf(t.Context(), stranger, "show", "--columns", same, "mine")); mine != theirs {
		t.Errorf("replayed:\n%s\nfirst:\n%s", mine, theirs)
	}
	where := must(t, mpf(t.Context(), stranger, "show", "--columns", "host_server,host_client,peer", "mine"))
	if want := fmt.Sprintf("%s  %s  %s", machines[2].Name, machines[3].Name, machines[2].Address); strings.Count(squeezed(where), squeezed(want)) != 6 {
		t.Errorf("6 runs on %s are wanted:\n%s", want, where)
	}
	must(t, mpf(t.Context(), stranger, "verify", "mine"))

	left := filepath.Join(stranger, "left")
	if err := os.Mkdir(left, 0o700); err != nil {
		t.Fatal(err)
	}
	writeFile(t, filepath.Join(left, "runs.parquet"), string(paper))
	must(t, mpf(t.Context(), stranger, "run", "-c", "cluster.yaml", "left"))
	if again := must(t, mpf(t.Context(), stranger, "show", "--columns", same, "left")); again != theirs {
		t.Errorf("gone on with:\n%s\nfirst:\n%s", again, theirs)
	}
}

// twoHosts writes a cluster file of two machines, the first of which serves.
func twoHosts(t *testing.T, dir string, machines []*remotetest.Machine) {
	t.Helper()
	server, client := machines[0], machines[1]
	writeFile(t, filepath.Join(dir, "ssh_config"), server.Alias("root")+client.Alias("root"))
	writeFile(t, filepath.Join(dir, "cluster.yaml"), fmt.Sprintf(
		"ssh: {config: ssh_config}\nhosts: {%s: {}, %s: {}}\nroles: {server: %s, client: %s}\n", server.Name, client.Name, server.Name, client.Name))
}

// must returns what a command prints. The agents that it makes stay for others.
func must(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	cmd.Env = append(cmd.Env, "XDG_CACHE_HOME="+cache)
	var talk strings.Builder
	cmd.Stderr = &talk
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(cmd.Args, " "), err, out, talk.String())
	}
	return string(out)
}

// squeezed has one space where there are several.
func squeezed(text string) string { return strings.Join(strings.Fields(text), " ") }
