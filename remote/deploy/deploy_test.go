package deploy_test

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote"
	"mpf/remote/agent"
	"mpf/remote/deploy"
)

// The test binary is the agent of local hosts, as mpf is.
func TestMain(m *testing.M) {
	if agent.Invoked(os.Args) {
		os.Exit(agent.Main(os.Args))
	}
	os.Exit(m.Run())
}

// local is this machine with a home of its own.
func local(t *testing.T) engine.Host {
	t.Helper()
	t.Setenv("HOME", t.TempDir())
	h, err := remote.Connect(t.Context(), remote.Local{}, remote.HostSpec{Name: "here", Shared: true}, remote.LinkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = h.Close() })
	return h
}

func experiment() *engine.Experiment {
	return &engine.Experiment{
		Roles:     []engine.Role{{Name: "server"}},
		Variables: []engine.Variable{{Name: "opt", Levels: []engine.Level{{Label: "fast", Value: "-O2"}, {Label: "none", Value: nil}}}},
	}
}

func deployer(t *testing.T, base string) *deploy.Deployer {
	t.Helper()
	d := &deploy.Deployer{Experiment: experiment(), Base: base, Cache: t.TempDir(), Logs: filepath.Join(t.TempDir(), "logs"), Temporary: t.TempDir()}
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}

// tree writes files of a folder.
func tree(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func change(t *testing.T, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o755); err != nil {
			t.Fatal(err)
		}
	}
}

func must(t *testing.T, d *deploy.Deployer, x engine.Deployment, hosts []engine.Host, labels ...string) engine.Deployed {
	t.Helper()
	got, err := d.Deploy(t.Context(), x, hosts, labels)
	if err != nil {
		t.Fatal(err)
	}
	return got
}

func content(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(b)
}

func TestUnchangedInputsRebuildNothing(t *testing.T) {
	h := []engine.Host{local(t)}
	base := tree(t, map[string]string{"src/main": "one", "src/.gitignore": "*.o\n", "src/junk.o": "x", "src/.mpfignore": "data/\n", "src/data/big": "x"})
	x := engine.Deployment{Source: "src", Build: []string{"echo built $opt with $(cat main) >out", "ls -A >files"}, Per: []int{0}}
	first := must(t, deployer(t, base), x, h, "fast")
	if !first.Rebuilt || first.Dirty || !strings.HasPrefix(first.Revision, "sha256:") {
		t.Errorf("first: %+v", first)
	}
	if got := content(t, first.Dir+"/out"); got != "built -O2 with one\n" {
		t.Errorf("the build made %q", got)
	}
	if got := content(t, first.Dir+"/files"); strings.Contains(got, "junk.o") || strings.Contains(got, "data") || !strings.Contains(got, "main") {
		t.Errorf("on the host lie %q", got)
	}
	if again := must(t, deployer(t, base), x, h, "fast"); again.Rebuilt || again.Dir != first.Dir {
		t.Errorf("again: %+v", again)
	}
	if other := must(t, deployer(t, base), x, h, "none"); !other.Rebuilt || other.Dir == first.Dir || content(t, other.Dir+"/out") != "built with one\n" {
		t.Errorf("another level: %+v", other)
	}
	if err := os.WriteFile(filepath.Join(base, "src/main"), []byte("two"), 0o755); err != nil {
		t.Fatal(err)
	}
	if changed := must(t, deployer(t, base), x, h, "fast"); !changed.Rebuilt || changed.Revision == first.Revision {
		t.Errorf("changed: %+v", changed)
	}
}

func TestABuildThatFailsSaysWhereAndHow(t *testing.T) {
	h := []engine.Host{local(t)}
	x := engine.Deployment{Build: []string{"true", "echo compiling; echo 'no such header' >&2; exit 3"}, Pos: engine.Pos{File: "x.star", Line: 4, Col: 1}}
	var d *deploy.Deployer
	for range 2 { // what failed is not taken for complete
		d = deployer(t, t.TempDir())
		_, err := d.Deploy(t.Context(), x, h, nil)
		var f *engine.Failure
		if !errors.As(err, &f) || f.Status != engine.Failed || f.Cause != engine.CauseBuild || f.Host != "here" || len(f.Trace) != 1 {
			t.Fatalf("got %#v", err)
		}
		for _, want := range []string{`deploy "server": "echo compiling;`, "exit status 3", `its output ends "compiling\nno such header"; all of it: ` + d.Logs} {
			if !strings.Contains(f.Message, want) {
				t.Errorf("%q, want %q in it", f.Message, want)
			}
		}
	}
	logs, _ := filepath.Glob(d.Logs + "/build-server-here-*-2.log")
	if len(logs) != 1 || !strings.Contains(content(t, logs[0]), "compiling\nno such header") {
		t.Errorf("logs %q", logs)
	}
}

// Hosts that share a home build in turn, and the second finds what the first
// made; where their systems differ that cannot be.
func TestHostsThatShareAHome(t *testing.T) {
	one, builds := local(t), filepath.Join(t.TempDir(), "builds")
	home := os.Getenv("HOME")
	two := local(t)
	x := engine.Deployment{Build: []string{"echo built >>" + builds + "; sleep 0.1"}}
	must(t, deployer(t, t.TempDir()), x, []engine.Host{one, one, one})
	if got := content(t, builds); got != "built\n" {
		t.Errorf("built %q", got)
	}
	t.Setenv("HOME", home)
	t.Setenv("PATH", tree(t, map[string]string{"uname": "#!/bin/sh\necho Plan9 mips"})+":"+os.Getenv("PATH"))
	other, err := remote.Connect(t.Context(), remote.Local{}, remote.HostSpec{Name: "other", Shared: true}, remote.LinkOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	_, err = deployer(t, t.TempDir()).Deploy(t.Context(), x, []engine.Host{one, other}, nil)
	if err == nil || !strings.Contains(err.Error(), "shares its home with a host of another system") || !strings.Contains(err.Error(), "Plan9") {
		t.Errorf("got %v", err)
	}
	_, err = deployer(t, t.TempDir()).Deploy(t.Context(), x, []engine.Host{one, two}, nil)
	if err == nil || !strings.Contains(err.Error(), "differs from that of the other hosts") {
		t.Errorf("got %v", err)
	}
}

func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-C", dir, "-c", "user.name=a", "-c", "user.email=a@example.org", "-c", "init.defaultBranch=main"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v: %s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func TestRevisionsAreFetchedByTheController(t *testing.T) {
	enginetest.Need(t, "git")
	h := []engine.Host{local(t)}
	origin := tree(t, map[string]string{"sub/main": "one"})
	git(t, origin, "init", "-q")
	git(t, origin, "add", ".")
	git(t, origin, "commit", "-qm", "one")
	git(t, origin, "tag", "v1")
	one := git(t, origin, "rev-parse", "HEAD")
	if err := os.WriteFile(origin+"/sub/main", []byte("two"), 0o755); err != nil {
		t.Fatal(err)
	}
	git(t, origin, "commit", "-qam", "two")
	two := git(t, origin, "rev-parse", "HEAD")

	d := deployer(t, origin)
	got := must(t, d, engine.Deployment{Source: "file://" + origin, Revision: "v1"}, h)
	if got.Revision != one || content(t, got.Dir+"/sub/main") != "one" {
		t.Errorf("a tag of a URL: %+v", got)
	}
	if got := must(t, d, engine.Deployment{Source: "file://" + origin}, h); got.Revision != two {
		t.Errorf("a URL without a revision: %+v", got)
	}
	if got := must(t, d, engine.Deployment{Source: "sub", Revision: one}, h); got.Revision != one || content(t, got.Dir+"/main") != "one" {
		t.Errorf("a folder of a repository at a commit: %+v", got)
	}
	if got := must(t, d, engine.Deployment{Source: "sub"}, h); got.Revision != two || got.Dirty {
		t.Errorf("a clean folder: %+v", got)
	}
	if err := os.WriteFile(origin+"/sub/main", []byte("three"), 0o755); err != nil {
		t.Fatal(err)
	}
	dirty := must(t, deployer(t, origin), engine.Deployment{Source: "sub"}, h)
	if !dirty.Dirty || dirty.Revision != two || content(t, dirty.Dir+"/main") != "three" || len(dirty.Warnings) != 1 || dirty.Warnings[0].Code != "dirty-source" {
		t.Errorf("a folder with changes: %+v", dirty)
	}
	if git(t, origin, "status", "--porcelain") != "M sub/main" {
		t.Error("the repository of the user was touched")
	}
	for _, x := range []engine.Deployment{
		{Source: "sub", Revision: "no-such-tag"}, {Source: "none"}, {Source: "ext::sh -c evil"}, {Source: "sub", Revision: "--upload-pack=evil"},
	} {
		if _, err := d.Deploy(t.Context(), x, h, nil); err == nil {
			t.Errorf("%+v: deployed", x)
		}
	}
}

func TestPackagesThatAreThereAreLeftAlone(t *testing.T) {
	enginetest.Need(t, "apt-get", "dpkg-query")
	h := []engine.Host{local(t)}
	d := deployer(t, t.TempDir())
	got := must(t, d, engine.Deployment{Packages: map[string][]string{"apt": {"base-files", "dpkg"}, "dnf": {"none-such"}}}, h)
	if got.Dir != "" || got.Rebuilt {
		t.Errorf("got %+v", got)
	}
	_, err := d.Deploy(context.Background(), engine.Deployment{Packages: map[string][]string{"apt": {"-o=evil"}}}, h, nil)
	if err == nil || !strings.Contains(err.Error(), "is no name of a package") {
		t.Errorf("got %v", err)
	}
}
