package launch

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"mpf/engine/enginetest"
	"mpf/remote/agentbin"
	"mpf/remote/client"
	"mpf/remote/remotetest"
	"mpf/remote/sshconfig"
	"mpf/remote/traces"
)

// agentOf makes an agent that says its version and answers what it is told. It
// is as long as an agent is, so that sending it takes more than one packet.
func agentOf(version string) agentbin.Binary {
	content := []byte("#!/bin/sh\necho agent " + version + " $1\nexec cat\n" + strings.Repeat("# filler\n", 40_000))
	sum := sha256.Sum256(content)
	return agentbin.Binary{Content: content, SHA256: hex.EncodeToString(sum[:])}
}

func launcher(t *testing.T, s *remotetest.Server, bin agentbin.Binary) *Launcher {
	t.Helper()
	return launcherAt(t, s.Alias("n"), bin)
}

func launcherAt(t *testing.T, block string, bin agentbin.Binary) *Launcher {
	t.Helper()
	path := filepath.Join(t.TempDir(), "config")
	if err := os.WriteFile(path, []byte(block), 0o600); err != nil {
		t.Fatal(err)
	}
	config, err := sshconfig.Load(sshconfig.User{Home: t.TempDir(), Getenv: func(string) string { return "" }}, path)
	if err != nil {
		t.Fatal(err)
	}
	return &Launcher{
		Dialer:      &client.Dialer{Config: config},
		Destination: client.Destination{Host: "n"},
		Find: func(_ context.Context, goos, goarch string) (agentbin.Binary, error) {
			if goarch != "amd64" && goarch != "arm64" {
				return agentbin.Binary{}, fmt.Errorf("no agent for %s/%s", goos, goarch)
			}
			return bin, nil
		},
	}
}

// hello starts an agent and returns the first line that it says.
func hello(l *Launcher) (string, error) {
	stream, err := l.Dial(context.Background())
	if err != nil {
		return "", err
	}
	defer stream.Close()
	line, err := bufio.NewReader(stream).ReadString('\n')
	if err != nil {
		return "", fmt.Errorf("%w: %s", err, stream.Diagnostics())
	}
	return strings.TrimSpace(line), nil
}

func mustSay(t *testing.T, l *Launcher, want string) {
	t.Helper()
	if got, err := hello(l); err != nil || got != want {
		t.Fatalf("%q, %v, want %q", got, err, want)
	}
}

func mustFail(t *testing.T, l *Launcher, want string) {
	t.Helper()
	if got, err := hello(l); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}

func cached(t *testing.T, s *remotetest.Server) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(s.Home, cacheDir))
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestSentOnceAndFoundAgain(t *testing.T) {
	s := remotetest.Sshd(t)
	bin := agentOf("one")
	l := launcher(t, s, bin)
	mustSay(t, l, "agent one agent")
	mustSay(t, l, "agent one agent")
	if n := strings.Count(s.Log(), "subsystem 'sftp'"); n != 1 {
		t.Errorf("sent %d times\n%s", n, s.Log())
	}
	dir, err := os.Stat(filepath.Join(s.Home, cacheDir))
	if err != nil || dir.Mode().Perm() != 0o700 {
		t.Errorf("folder: %v, %v, want 0700", dir.Mode(), err)
	}
	if got := cached(t, s); len(got) != 1 || got[0] != "agent-"+bin.SHA256 {
		t.Errorf("in the folder: %v", got)
	}
	removed, err := l.Clean(t.Context())
	removed = slices.DeleteFunc(removed, func(tr traces.Trace) bool { return !strings.HasPrefix(tr.Path, s.Home+"/") }) // others without a home use this machine
	if err != nil || len(removed) != 1 || removed[0].Path != filepath.Join(s.Home, cacheDir) || removed[0].Bytes < int64(len(bin.Content)) {
		t.Errorf("removed %+v, %v", removed, err)
	}
	if _, err := os.Stat(filepath.Join(s.Home, cacheDir)); !os.IsNotExist(err) {
		t.Errorf("after Clean: %v", err)
	}
}

func TestARunningAgentIsReplacedByAnotherVersion(t *testing.T) {
	s := remotetest.Sshd(t)
	stream, err := launcher(t, s, agentOf("one")).Dial(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer stream.Close()
	lines := bufio.NewReader(stream)
	if _, err := lines.ReadString('\n'); err != nil {
		t.Fatal(err)
	}
	two := agentOf("two")
	mustSay(t, launcher(t, s, two), "agent two agent")
	if got := cached(t, s); len(got) != 1 || got[0] != "agent-"+two.SHA256 {
		t.Errorf("in the folder: %v", got)
	}
	_, _ = stream.Write([]byte("still there?\n"))
	if line, err := lines.ReadString('\n'); err != nil || line != "still there?\n" {
		t.Errorf("the first agent: %q, %v", line, err)
	}
}

func TestManySendAtOnce(t *testing.T) {
	s := remotetest.Sshd(t)
	l := launcher(t, s, agentOf("one"))
	var all sync.WaitGroup
	for range 6 {
		all.Go(func() { mustSay(t, l, "agent one agent") })
	}
	all.Wait()
	if got := cached(t, s); len(got) != 1 {
		t.Errorf("in the folder: %v", got)
	}
}

// Wherever the connection breaks, there is a whole agent or none.
func TestACutWhileSendingLeavesNoHalf(t *testing.T) {
	s := remotetest.Sshd(t)
	p := remotetest.NewProxy(t, s.Addr)
	block := strings.Replace(s.Alias("n", "HostKeyAlias [127.0.0.1]:"+s.Port), "Port "+s.Port, "Port "+p.Port, 1)
	bin := agentOf("one")
	for kib := int64(2); kib < 500; kib += 40 {
		p.CutAfter(kib << 10)
		_, err := hello(launcherAt(t, block, bin))
		content, readErr := os.ReadFile(filepath.Join(s.Home, cacheDir, "agent-"+bin.SHA256))
		if readErr == nil && len(content) != len(bin.Content) {
			t.Fatalf("cut after %d KiB: %d bytes of %d", kib, len(content), len(bin.Content))
		}
		if err == nil && readErr != nil {
			t.Errorf("cut after %d KiB: %v", kib, readErr)
		}
		if readErr == nil {
			_ = os.RemoveAll(filepath.Join(s.Home, ".cache"))
		}
	}
	p.CutAfter(0)
	mustSay(t, launcherAt(t, block, bin), "agent one agent")
}

func TestNoisyShell(t *testing.T) {
	s := remotetest.Sshd(t)
	if err := os.WriteFile(filepath.Join(s.Home, ".bashrc"), []byte("echo 'Welcome to the cluster'\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := hello(launcher(t, s, agentOf("one")))
	if err == nil {
		enginetest.Unmet(t, "the login shell reads no ~/.bashrc: chsh -s /bin/bash")
	}
	if want := `expected "mpf-start", got "Welcome to the cluster" (make the host's start-up files silent`; !strings.Contains(err.Error(), want) {
		t.Errorf("%v, want %q", err, want)
	}
}

func TestNoCommandIsExecuted(t *testing.T) {
	s := remotetest.Sshd(t, "ForceCommand echo This account is not available. >&2; exit 1")
	mustFail(t, launcher(t, s, agentOf("one")), `the host executes no command: its stderr ends "This account is not available."`)
}

func TestAnotherKindOfMachine(t *testing.T) {
	bin := filepath.Join(t.TempDir(), "bin")
	if err := os.Mkdir(bin, 0o755); err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	s := remotetest.Sshd(t, fmt.Sprintf("SetEnv PATH=%s:/usr/bin:/bin HOME=%s", bin, home))
	uname := func(kind string) {
		if err := os.WriteFile(filepath.Join(bin, "uname"), []byte("#!/bin/sh\necho "+kind+"\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	l := launcher(t, s, agentOf("one"))
	uname("Linux riscv64")
	mustFail(t, l, `a host of kind "Linux riscv64"`)
	uname("Darwin arm64")
	mustFail(t, l, `a host of kind "Darwin arm64"`)
	uname("Linux aarch64")
	mustSay(t, l, "agent one agent")
	if l.guess() != "arm64" {
		t.Errorf("learnt %q", l.guess())
	}
}

func TestAForeignFolderIsRefused(t *testing.T) {
	s := remotetest.Sshd(t)
	l := launcher(t, s, agentOf("one"))
	dir := filepath.Join(s.Home, cacheDir)
	if err := os.MkdirAll(filepath.Dir(dir), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(t.TempDir(), dir); err != nil {
		t.Fatal(err)
	}
	mustFail(t, l, "is a symbolic link or belongs to somebody else")
	enginetest.NeedRoot(t)
	_ = os.Remove(dir)
	if err := os.Mkdir(dir, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chown(dir, 65534, 65534); err != nil {
		t.Fatal(err)
	}
	mustFail(t, l, "is a symbolic link or belongs to somebody else")
}

func TestAnOpenFolderIsClosed(t *testing.T) {
	s := remotetest.Sshd(t)
	dir := filepath.Join(s.Home, cacheDir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	mustSay(t, launcher(t, s, agentOf("one")), "agent one agent")
	if info, _ := os.Stat(dir); info.Mode().Perm() != 0o700 {
		t.Errorf("mode %v", info.Mode())
	}
}

func TestAHomeWithoutExecution(t *testing.T) {
	enginetest.NeedRoot(t)
	home := t.TempDir()
	s := remotetest.SshdBehind(t, []string{"unshare", "-m", "sh", "-c", `mount -t tmpfs -o noexec tmpfs "$0" && exec "$@"`, home}, "SetEnv HOME="+home)
	mustFail(t, launcher(t, s, agentOf("one")), "cannot be executed: its file system is mounted noexec")
}

func TestAnAgentOfACPUSet(t *testing.T) {
	enginetest.Need(t, "taskset")
	s := remotetest.Sshd(t)
	l := launcher(t, s, agentbin.Binary{})
	bin := agentOf("$(taskset -cp $$ | sed s/.*:.//)")
	l.Find = func(context.Context, string, string) (agentbin.Binary, error) { return bin, nil }
	l.Prefix = []string{"taskset", "-c", "0"}
	mustSay(t, l, "agent 0 agent")
}

func TestAnAgentOfANamespaceThatIsNotThere(t *testing.T) {
	enginetest.NeedRoot(t)
	enginetest.Need(t, "ip")
	l := launcher(t, remotetest.Sshd(t), agentOf("one"))
	l.Prefix = []string{"ip", "netns", "exec", "mpf-none-such"}
	mustFail(t, l, `Cannot open network namespace "mpf-none-such"`)
}
