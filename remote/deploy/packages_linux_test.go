package deploy_test

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote/deploy"
	"mpf/remote/remotetest"
)

// The packages of these tests are made here and lie in a repository on each
// machine, so that the real package manager installs them without any network.

func execute(t *testing.T, argv ...string) string {
	t.Helper()
	out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput()
	if err != nil {
		t.Fatalf("%q: %v: %s", argv, err, out)
	}
	return string(out)
}

// debs makes a repository of tiny packages for apt.
func debs(t *testing.T, names ...string) string {
	t.Helper()
	repository, index := t.TempDir(), ""
	for _, name := range names {
		control := "Package: " + name + "\nVersion: 1.0\nArchitecture: all\nMaintainer: nobody <nobody@example.org>\nDescription: a test\n"
		dir := tree(t, map[string]string{"DEBIAN/control": control, "opt/" + name: "here"})
		deb := filepath.Join(repository, name+".deb")
		execute(t, "dpkg-deb", "--root-owner-group", "-b", dir, deb)
		sum, _, _ := strings.Cut(execute(t, "sha256sum", deb), " ")
		info, err := os.Stat(deb)
		if err != nil {
			t.Fatal(err)
		}
		index += control + "Filename: ./" + name + ".deb\nSHA256: " + sum + "\nSize: " + strconv.FormatInt(info.Size(), 10) + "\n\n"
	}
	if err := os.WriteFile(filepath.Join(repository, "Packages"), []byte(index), 0o644); err != nil {
		t.Fatal(err)
	}
	return repository
}

// rpms makes a repository of a tiny package for dnf.
func rpms(t *testing.T, name string) string {
	t.Helper()
	repository := t.TempDir()
	spec := tree(t, map[string]string{"p.spec": "Name: " + name + "\nVersion: 1.0\nRelease: 1\nSummary: a test\nLicense: none\nBuildArch: noarch\n" +
		"%description\na test\n%install\nmkdir -p %{buildroot}/opt\necho here >%{buildroot}/opt/" + name + "\n%files\n/opt/" + name + "\n"})
	execute(t, "rpmbuild", "-bb", "--define", "_topdir "+t.TempDir(), "--define", "_rpmdir "+repository, filepath.Join(spec, "p.spec"))
	execute(t, "createrepo_c", "-q", repository)
	return repository
}

// aptOnly and dnfOnly leave a machine one repository, which lies on it.
func aptOnly(t *testing.T, m *remotetest.Machine, root engine.Host, repository string) {
	t.Helper()
	give(t, root, repository, "/srv/repository")
	on(t, m, "sh", "-c", `rm -rf /etc/apt/sources.list.d/* /var/lib/apt/lists/*
		echo "deb [trusted=yes] file:/srv/repository ./" >/etc/apt/sources.list`)
}

func dnfOnly(t *testing.T, m *remotetest.Machine, root engine.Host, repository string) {
	t.Helper()
	give(t, root, repository, "/srv/repository")
	on(t, m, "sh", "-c", `rm $(command -v apt-get); mkdir -p /etc/yum.repos.d; rm -f /etc/yum.repos.d/*
		printf '[test]\nname=test\nbaseurl=file:///srv/repository\ngpgcheck=0\n' >/etc/yum.repos.d/test.repo`)
}

func give(t *testing.T, root engine.Host, dir, to string) {
	t.Helper()
	if err := os.Chmod(dir, 0o755); err != nil { // apt reads as a user without privileges
		t.Fatal(err)
	}
	w, err := root.Open(t.Context(), remotetest.NewAttempt())
	if err != nil {
		t.Fatal(err)
	}
	err = w.Put(t.Context(), dir, to)
	if _, closeErr := w.Close(t.Context()); err != nil || closeErr != nil {
		t.Fatal(err, closeErr)
	}
}

// asked notes what is begun on hosts.
func asked(d *deploy.Deployer) *[]string {
	var lock sync.Mutex
	var list []string
	d.Watch = func(what, host string) {
		lock.Lock()
		defer lock.Unlock()
		list = append(list, host+": "+what)
		slices.Sort(list)
	}
	return &list
}

func TestAptInstallsWhatIsMissing(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "apt-get", "dpkg-deb", "sha256sum")
	machines := remotetest.Machines(t, 2)
	hosts := overSSH(t, machines, "root")
	repository := debs(t, "mpf-test-one", "mpf-test-two")
	for i, m := range machines {
		aptOnly(t, m, hosts[i], repository)
	}
	on(t, machines[1], "sh", "-c", "apt-get update && apt-get install -y mpf-test-one")
	x := engine.Deployment{Packages: map[string][]string{"": {"dpkg"}, "apt": {"mpf-test-one=1.0", "mpf-test-two"}, "dnf": {"none-such"}}}
	d := deployer(t, t.TempDir())
	list := asked(d)
	must(t, d, x, hosts)
	if want := []string{"n1: install mpf-test-one=1.0 mpf-test-two", "n2: install mpf-test-two"}; !slices.Equal(*list, want) {
		t.Errorf("asked for %q, want %q", *list, want)
	}
	_, err := d.Deploy(t.Context(), engine.Deployment{Packages: map[string][]string{"apt": {"mpf-test-three"}}}, hosts[:1], nil)
	if err == nil || !strings.Contains(err.Error(), `host "n1": deploy "server": "install mpf-test-three": exit status 100; its output ends "E: Unable to locate package mpf-test-three"`) {
		t.Errorf("got %v", err)
	}
	for _, m := range machines {
		on(t, m, "cat", "/opt/mpf-test-one", "/opt/mpf-test-two")
		// From here on the package manager cannot be asked.
		on(t, m, "sh", "-c", `ln -sf /bin/false $(command -v apt-get)`)
	}
	must(t, deployer(t, t.TempDir()), x, hosts)
}

func TestAptOfAUserWithoutPrivileges(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "apt-get", "dpkg-deb", "sha256sum", "sudo")
	machines := remotetest.Machines(t, 1)
	root := overSSH(t, machines, "root")[0]
	aptOnly(t, machines[0], root, debs(t, "mpf-test-one"))
	if err := root.Close(); err != nil {
		t.Fatal(err)
	}
	alice := overSSH(t, machines, "alice")
	x := engine.Deployment{Packages: map[string][]string{"apt": {"mpf-test-one"}}}
	_, err := deployer(t, t.TempDir()).Deploy(t.Context(), x, alice, nil)
	var f *engine.Failure
	if !errors.As(err, &f) || f.Host != "n1" || !strings.Contains(err.Error(), `host "n1": deploy "server": command "env": sudo does not let it run without a password`) {
		t.Errorf("got %#v", err)
	}
	on(t, machines[0], "sh", "-c", "umask 337; echo 'alice ALL=(ALL) NOPASSWD: ALL' >/etc/sudoers.d/alice")
	must(t, deployer(t, t.TempDir()), x, alice)
	on(t, machines[0], "cat", "/opt/mpf-test-one")
}

func TestDnfInstallsWhatIsMissing(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "dnf", "rpm", "rpmbuild", "createrepo_c")
	machines := remotetest.Machines(t, 1)
	hosts := overSSH(t, machines, "root")
	dnfOnly(t, machines[0], hosts[0], rpms(t, "mpf-test-one"))
	x := engine.Deployment{Packages: map[string][]string{"apt": {"none-such"}, "dnf": {"mpf-test-one"}}, Build: []string{"cat /opt/mpf-test-one >made"}}
	d := deployer(t, t.TempDir())
	list := asked(d)
	if got := must(t, d, x, hosts); on(t, machines[0], "cat", got.Dir+"/made") != "here\n" {
		t.Errorf("got %+v", got)
	}
	if want := []string{"n1: build", "n1: install mpf-test-one"}; !slices.Equal(*list, want) {
		t.Errorf("asked for %q, want %q", *list, want)
	}
	on(t, machines[0], "sh", "-c", `ln -sf /bin/false $(command -v dnf)`)
	if got := must(t, deployer(t, t.TempDir()), x, hosts); got.Rebuilt {
		t.Errorf("again: %+v", got)
	}
}
