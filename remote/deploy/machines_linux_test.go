package deploy_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote"
	"mpf/remote/inventory"
	"mpf/remote/remotetest"
)

// overSSH reaches machines as a user.
func overSSH(t *testing.T, machines []*remotetest.Machine, user string) []engine.Host {
	t.Helper()
	dir, config, file := t.TempDir(), "", "ssh: {config: ssh_config}\nhosts:\n"
	for _, m := range machines {
		config += m.Alias(user)
		file += "  " + m.Name + ": {}\n"
	}
	for name, content := range map[string]string{"ssh_config": config, "cluster.yaml": file} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	cluster, err := inventory.Read(filepath.Join(dir, "cluster.yaml"))
	if err != nil {
		t.Fatal(err)
	}
	fleet, err := remote.Open(t.Context(), cluster, remote.Options{Link: remote.LinkOptions{Campaign: dir}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := fleet.Close(); err != nil {
			t.Error(err)
		}
	})
	var hosts []engine.Host
	for _, m := range machines {
		hosts = append(hosts, fleet.Host(m.Name))
	}
	return hosts
}

// on is what a command prints on a machine.
func on(t *testing.T, m *remotetest.Machine, argv ...string) string {
	t.Helper()
	out, err := m.Exec(argv...)
	if err != nil {
		t.Fatalf("%s: %q: %v: %s", m.Name, argv, err, out)
	}
	return out
}

// Each build leaves a mark on its host, so that what is built when, and what is
// not, can be counted there.
const mark = "echo $opt >>~/builds"

func TestMachinesBuildOnceAndAgainOnlyWhatChanged(t *testing.T) {
	t.Parallel()
	machines := remotetest.Machines(t, 3)
	hosts := overSSH(t, machines, "alice")
	base := tree(t, map[string]string{
		"one/main": "1", "one/.gitignore": "*.o\n!keep.o\n", "one/junk.o": "x", "one/keep.o": "x", "two/main": "2",
		"one/deep/.mpfignore": "/data\n", "one/deep/data/big": "x", "one/deep/er/data/small": "x",
	})
	one := engine.Deployment{Source: "one", Per: []int{0}, Build: []string{mark, "echo $(hostname) $opt $(cat main) >made", "find . -type f ! -name files | sort >files"}}
	two := engine.Deployment{Source: "two", Build: []string{mark}}
	all := func() (rebuilt [3]bool, dirs [3]string) {
		d := deployer(t, base) // as another campaign has
		for i, x := range []struct {
			engine.Deployment
			labels []string
		}{{one, []string{"fast"}}, {one, []string{"none"}}, {two, nil}} {
			got := must(t, d, x.Deployment, hosts, x.labels...)
			rebuilt[i], dirs[i] = got.Rebuilt, got.Dir
		}
		return rebuilt, dirs
	}
	builds := func() string {
		return strings.Join(strings.Fields(on(t, machines[1], "cat", "/home/alice/builds")), " ")
	}

	first, dirs := all()
	if first != [3]bool{true, true, true} || builds() != "-O2" {
		t.Errorf("the first campaign built %v: %q", first, builds())
	}
	for _, m := range machines {
		if got := on(t, m, "cat", dirs[0]+"/made"); got != m.Name+" -O2 1\n" {
			t.Errorf("%s made %q", m.Name, got)
		}
		if got := on(t, m, "cat", dirs[1]+"/made"); got != m.Name+" 1\n" {
			t.Errorf("%s made %q", m.Name, got)
		}
		want := "./.gitignore\n./deep/.mpfignore\n./deep/er/data/small\n./keep.o\n./made\n./main\n"
		if got := on(t, m, "cat", dirs[0]+"/files"); got != want {
			t.Errorf("on %s lie %q", m.Name, got)
		}
	}
	before := on(t, machines[1], "cat", "/home/alice/builds")
	if again, same := all(); again != [3]bool{} || same != dirs || on(t, machines[1], "cat", "/home/alice/builds") != before {
		t.Errorf("the second campaign built %v", again)
	}
	change(t, base, map[string]string{"two/main": "2.1"})
	if got, _ := all(); got != [3]bool{false, false, true} {
		t.Errorf("a change in two built %v", got)
	}
	change(t, base, map[string]string{"one/junk.o": "ignored"})
	if got, _ := all(); got != [3]bool{} {
		t.Errorf("a change that is ignored built %v", got)
	}
	change(t, base, map[string]string{"one/main": "1.1"})
	if got, _ := all(); got != [3]bool{true, true, false} {
		t.Errorf("a change in one built %v", got)
	}
	if got := strings.Count(on(t, machines[1], "cat", "/home/alice/builds"), "\n"); got != 6 {
		t.Errorf("%d builds in all", got)
	}
}

// Every machine says when it is at the build, and goes on once all are.
func TestMachinesBuildAtOnce(t *testing.T) {
	t.Parallel()
	machines := remotetest.Machines(t, 3)
	hosts := overSSH(t, machines, "alice")
	var at sync.WaitGroup
	at.Add(len(machines))
	d := deployer(t, t.TempDir())
	d.Watch = func(what, host string) { at.Done() }
	x := engine.Deployment{Build: []string{"until test -e /tmp/go; do sleep 0.02; done"}}
	together := make(chan struct{})
	go func() {
		defer close(together)
		at.Wait()
		for _, m := range machines {
			if out, err := m.Exec("touch", "/tmp/go"); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		}
	}()
	if got := must(t, d, x, hosts); !got.Rebuilt {
		t.Errorf("got %+v", got)
	}
	<-together
}

// The controller fetches: the machines have no git and reach no repository.
func TestMachinesWithoutGitGetTheExactCommit(t *testing.T) {
	enginetest.Need(t, "git")
	t.Parallel()
	machines := remotetest.Machines(t, 2)
	for _, m := range machines {
		on(t, m, "sh", "-c", "rm $(command -v git)")
	}
	hosts := overSSH(t, machines, "alice")
	origin := tree(t, map[string]string{"main": "one"})
	git(t, origin, "init", "-q")
	git(t, origin, "add", ".")
	git(t, origin, "commit", "-qm", "one")
	git(t, origin, "tag", "-a", "v1", "-m", "annotated")
	commit := git(t, origin, "rev-parse", "v1^{commit}")
	change(t, origin, map[string]string{"main": "two"})

	d := deployer(t, origin)
	got := must(t, d, engine.Deployment{Source: "file://" + origin, Revision: "v1", Build: []string{"! command -v git", "cp main made"}}, hosts)
	if got.Revision != commit || got.Dirty {
		t.Errorf("got %+v, want commit %s", got, commit)
	}
	dirty := must(t, d, engine.Deployment{Source: ".", Build: []string{"cp main made"}}, hosts)
	if dirty.Revision != commit || !dirty.Dirty || len(dirty.Warnings) != 1 {
		t.Errorf("a work tree with changes: %+v", dirty)
	}
	for _, m := range machines {
		if text := on(t, m, "cat", got.Dir+"/made", dirty.Dir+"/made"); text != "onetwo" {
			t.Errorf("%s made %q", m.Name, text)
		}
	}
}

func TestABuildThatFailsOnOneMachineOnly(t *testing.T) {
	t.Parallel()
	machines := remotetest.Machines(t, 2)
	on(t, machines[1], "touch", "/etc/broken")
	hosts := overSSH(t, machines, "alice")
	d := deployer(t, t.TempDir())
	var begun []string
	d.Watch = func(what, host string) { // the second build waits for nobody
		begun = append(begun, what+" "+host)
	}
	x := engine.Deployment{Per: []int{0}, Build: []string{mark, `seq 100; ! test -e /etc/broken -a -n "$opt" || { echo "no rule for $opt" >&2; exit 2; }`}}
	for range 3 { // as every run that needs it asks
		_, err := d.Deploy(t.Context(), x, hosts[1:], []string{"fast"})
		var f *engine.Failure
		if !errors.As(err, &f) || f.Cause != engine.CauseBuild || f.Host != "n2" {
			t.Fatalf("got %#v", err)
		}
		for _, want := range []string{`deploy "server": "seq 100;`, "exit status 2", `100\nno rule for -O2"`, "all of it: " + d.Logs} {
			if !strings.Contains(f.Message, want) {
				t.Errorf("%q, want %q in it", f.Message, want)
			}
		}
	}
	if len(begun) != 1 || begun[0] != "build n2" || on(t, machines[1], "cat", "/home/alice/builds") != "-O2\n" {
		t.Errorf("a build that fails was made more than once: %q", begun)
	}
	for _, label := range []string{"fast", "none"} { // what does not fail goes on
		if got := must(t, d, x, hosts[:1], label); !got.Rebuilt {
			t.Errorf("%s: %+v", label, got)
		}
	}
	if got := must(t, d, x, hosts[1:], "none"); !got.Rebuilt {
		t.Errorf("another level: %+v", got)
	}
	logs, _ := filepath.Glob(d.Logs + "/build-server-n2-*-2.log")
	if len(logs) != 2 || !strings.HasPrefix(content(t, logs[0]), "$ seq 100") {
		t.Errorf("logs %q", logs)
	}
}
