package remote_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/remote"
	"mpf/remote/inventory"
	"mpf/remote/remotetest"
	"mpf/remote/traces"
)

// cleaned cleans the one host of a cluster and returns the folders that went.
func cleaned(t *testing.T, c *inventory.Cluster) ([]string, error) {
	t.Helper()
	hosts, err := remote.Clean(t.Context(), c, remote.Options{Link: quick()})
	if len(hosts) != 1 {
		t.Fatalf("%+v, %v", hosts, err)
	}
	var paths []string
	for _, trace := range hosts[0].Removed {
		if trace.Path == fmt.Sprintf("/tmp/mpf-%d", os.Getuid()) {
			continue // of others on this machine who have no home
		}
		if trace.Bytes == 0 {
			t.Errorf("%s held nothing", trace.Path)
		}
		paths = append(paths, trace.Path)
	}
	return paths, err
}

// mustClean uses a host, is refused while an agent is there, and then leaves
// nothing of mpf on it.
func mustClean(t *testing.T, c *inventory.Cluster, want ...string) {
	t.Helper()
	f, err := remote.Open(t.Context(), c, remote.Options{Link: quick()})
	if err != nil {
		t.Fatal(err)
	}
	_, err = cleaned(t, c)
	var used *traces.UsedError
	if !errors.As(err, &used) || !strings.Contains(err.Error(), "is in use by the agent with pid") {
		t.Errorf("while an agent is there: %v", err)
	}
	if _, err := work(t.Context(), f.Host("n"), "true"); err != nil {
		t.Errorf("the agent that was there: %v", err)
	}
	f.Close()
	got, err := cleaned(t, c)
	if err != nil || fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("removed %q, %v, want %q", got, err, want)
	}
	for _, path := range want {
		if _, err := os.Stat(path); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("%s is still there: %v", path, err)
		}
	}
	if got, err := cleaned(t, c); err != nil || len(got) > 0 {
		t.Errorf("a second time: %q, %v", got, err)
	}
}

func TestCleaningAHostOfSSH(t *testing.T) {
	s := remotetest.Sshd(t)
	mustClean(t, cluster(t, s.Alias("n"), oneShared), filepath.Join(s.Home, ".cache/mpf"))
}

func TestCleaningAHostOfAnArgv(t *testing.T) {
	u := remotetest.NewUser(t, "")
	words := strings.Join(append(u.As(), through[:]...), "\n")
	hosts := "hosts:\n  n:\n    shared: true\n    exec:\n"
	for _, word := range strings.Split(words, "\n") {
		hosts += fmt.Sprintf("      - %q\n", word)
	}
	mustClean(t, cluster(t, "", hosts), filepath.Join(u.Home, ".cache/mpf"))
}

func TestCleaningThisMachine(t *testing.T) {
	cache := t.TempDir()
	t.Setenv("XDG_CACHE_HOME", cache)
	t.Setenv("HOME", t.TempDir())
	t.Setenv("TMPDIR", t.TempDir())
	t.Setenv("MPF_HOST_LOCK", filepath.Join(t.TempDir(), "lock"))
	mustClean(t, cluster(t, "", "hosts: {n: {local: true, shared: true}}\n"), filepath.Join(cache, "mpf"))
}

// A user who becomes root leaves the agent, root what the agent did.
func TestCleaningAHostOfOneWhoBecomesRoot(t *testing.T) {
	u := remotetest.NewUser(t, everything)
	s := remotetest.SshdOf(t, u)
	mustClean(t, cluster(t, s.Alias("n"), oneBecomesRoot), filepath.Join(u.Home, ".cache/mpf"), filepath.Join(u.RootHome, ".cache/mpf"))
}

func TestCleaningWhatCannotBeReached(t *testing.T) {
	_, err := cleaned(t, cluster(t, "", "hosts: {n: {exec: [sh, -c, 'echo go away >&2; exit 5']}}\n"))
	var unreachable *remote.UnreachableError
	if !errors.As(err, &unreachable) || !strings.Contains(err.Error(), `host "n": sh ended with exit status 5; it said "go away"`) || unreachable.Failures[0].Status != engine.Unreachable {
		t.Errorf("got %v", err)
	}
}
