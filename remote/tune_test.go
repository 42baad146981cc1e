package remote_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote"
	"mpf/remote/inventory"
	"mpf/remote/remotetest"
	"mpf/remote/tune"
)

// tunerVariable turns the test binary into a controller that has tuned a host
// whose /sys lies in a folder, and waits to be killed.
const tunerVariable = "MPF_TEST_TUNER"

func tuner(root string) error {
	h, err := remote.Connect(context.Background(), remote.Local{}, here(), quick())
	if err != nil {
		return err
	}
	if err := h.Tune(context.Background(), fastest(root)); err != nil {
		return err
	}
	fmt.Println("tuned")
	select {}
}

// fakeSys makes a machine's /sys with frequency scaling on two processors.
func fakeSys(t *testing.T) string {
	t.Helper()
	root := t.TempDir()
	for path, text := range map[string]string{
		"cpu0/cpufreq/scaling_governor":            "powersave\n",
		"cpu0/cpufreq/scaling_available_governors": "performance powersave\n",
		"cpu1/cpufreq/scaling_governor":            "schedutil\n",
		"intel_pstate/no_turbo":                    "0\n",
	} {
		path = filepath.Join(root, "sys/devices/system/cpu", path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func fastest(root string) tune.Wanted {
	return tune.Wanted{Host: "here", Root: root, Settings: []inventory.Setting{
		{Name: inventory.Governor, Value: "performance"}, {Name: inventory.Turbo, Value: "off"},
	}}
}

// state is what a fake machine's settings are.
func state(root string) string {
	var values []string
	for _, name := range []string{"cpu0/cpufreq/scaling_governor", "cpu1/cpufreq/scaling_governor", "intel_pstate/no_turbo"} {
		text, err := os.ReadFile(filepath.Join(root, "sys/devices/system/cpu", name))
		if err != nil {
			return err.Error()
		}
		values = append(values, strings.TrimSpace(string(text)))
	}
	return strings.Join(values, " ")
}

const (
	found = "powersave schedutil 0"
	tuned = "performance performance 1"
)

func expectState(t *testing.T, root, want string) {
	t.Helper()
	limit := quick().Lease + 5*time.Second
	for deadline := time.Now().Add(limit); state(root) != want; time.Sleep(5 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatalf("after %s the settings are %q, want %q", limit, state(root), want)
		}
	}
}

func TestSettingsAreMadeRecordedAndPutBack(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := fakeSys(t)
	h := connect(t, remote.Local{})
	defer h.Close()
	if err := h.Tune(t.Context(), fastest(root)); err != nil {
		t.Fatal(err)
	}
	if got := state(root); got != tuned {
		t.Errorf("tuned, the settings are %q", got)
	}
	want := []tune.Change{
		{Name: "turbo", Where: root + "/sys/devices/system/cpu/intel_pstate/no_turbo", Before: "0", After: "1"},
		{Name: "governor", Where: "/sys/devices/system/cpu/cpu[0-9]*/cpufreq/scaling_governor", Before: "powersave, schedutil", After: "performance"},
	}
	if got := h.Tuned(); !slices.Equal(got, want) {
		t.Errorf("recorded %+v, want %+v", got, want)
	}
	// Somebody else turns a knob meanwhile: it is put back and said.
	if err := os.WriteFile(want[0].Where, []byte("2\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := h.Untune(t.Context()); err != nil {
		t.Error(err)
	}
	if got := state(root); got != found {
		t.Errorf("at the end the settings are %q", got)
	}
	if got := h.Tuned()[0].End; got != "2" {
		t.Errorf("what it was at the end is said to be %q", got)
	}
	if left := leftoverFiles(t); len(left) > 0 {
		t.Errorf("there is left %q", left)
	}
}

// leftoverFiles are the scripts that are due.
func leftoverFiles(t *testing.T) []string {
	t.Helper()
	paths, err := filepath.Glob(filepath.Join(os.Getenv("XDG_CACHE_HOME"), "mpf", "host-*", "tuned", "*"))
	if err != nil {
		t.Fatal(err)
	}
	return paths
}

// startTuner starts a controller that has tuned and returns it with the pids of
// the agent's keeper and worker.
func startTuner(t *testing.T, root string) (controller *os.Process, keeper, worker int) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	c := exec.Command(self)
	c.Env = append(os.Environ(), tunerVariable+"="+root, "MPF_HOST_LOCK="+filepath.Join(t.TempDir(), "lock"))
	c.Stderr = os.Stderr
	remotetest.FirstLine(t, c)
	files := leftoverFiles(t)
	if len(files) != 1 {
		t.Fatalf("agents have left %q", files)
	}
	if worker, err = strconv.Atoi(filepath.Base(files[0])); err != nil {
		t.Fatal(err)
	}
	return c.Process, keeperOf(t, files[0]), worker
}

// keeperOf is the shell that waits to run a script.
func keeperOf(t *testing.T, script string) int {
	t.Helper()
	for end := time.Now().Add(5 * time.Second); time.Now().Before(end); time.Sleep(time.Millisecond) {
		lines, err := filepath.Glob("/proc/[0-9]*/cmdline")
		if err != nil {
			t.Fatal(err)
		}
		for _, line := range lines {
			text, err := os.ReadFile(line)
			if err != nil || !strings.HasPrefix(string(text), "sh\x00-c\x00") || !strings.HasSuffix(string(text), script+"\x00") {
				continue
			}
			pid, err := strconv.Atoi(filepath.Base(filepath.Dir(line)))
			if err != nil {
				t.Fatal(err)
			}
			return pid
		}
	}
	t.Fatal("there is no keeper")
	return 0
}

// Whoever dies, what is left puts the settings back.
func TestSettingsArePutBackWhoeverIsKilled(t *testing.T) {
	for _, c := range []struct {
		name                              string
		controller, guard, worker, keeper bool
	}{
		{name: "controller", controller: true},
		{name: "worker", worker: true},
		{name: "guard", guard: true},
		{name: "agent", guard: true, worker: true},
		{name: "keeper, then controller", keeper: true, controller: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Setenv("XDG_CACHE_HOME", t.TempDir())
			root := fakeSys(t)
			controller, keeper, worker := startTuner(t, root)
			guard := parentOf(worker)
			expectState(t, root, tuned)
			for pid, kill := range map[int]bool{guard: c.guard, worker: c.worker, keeper: c.keeper} {
				if kill {
					stop(t, pid)
				}
			}
			for pid, kill := range map[int]bool{guard: c.guard, worker: c.worker, keeper: c.keeper, controller.Pid: c.controller} {
				if kill {
					kill9(t, pid)
				}
			}
			expectState(t, root, found)
			waitDead(t, keeper, worker, guard)
			if left := leftoverFiles(t); len(left) > 0 {
				t.Errorf("there is left %q", left)
			}
		})
	}
}

// stop keeps a process from seeing that another one dies.
func stop(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
}

func kill9(t *testing.T, pid int) {
	t.Helper()
	if err := syscall.Kill(pid, syscall.SIGKILL); err != nil && !errors.Is(err, syscall.ESRCH) {
		t.Fatal(err)
	}
}

// A half open link gives no end of input: the lease does.
func TestSettingsArePutBackWhenTheControllerIsSilent(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := fakeSys(t)
	controller, keeper, worker := startTuner(t, root)
	guard := parentOf(worker)
	stop(t, controller.Pid)
	expectState(t, root, found)
	waitDead(t, keeper, worker, guard)
}

// When all of an agent is killed at once, the next one puts back what it left.
func TestTheNextAgentPutsBackWhatAKilledOneLeft(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := fakeSys(t)
	controller, keeper, worker := startTuner(t, root)
	all := []int{parentOf(worker), worker, keeper, controller.Pid}
	for _, pid := range all {
		stop(t, pid)
	}
	for _, pid := range all {
		kill9(t, pid)
	}
	if got := state(root); got != tuned {
		t.Fatalf("nobody is left, and the settings are %q", got)
	}
	waitDead(t, all[:3]...)
	connect(t, remote.Local{}).Close()
	if got := state(root); got != found {
		t.Errorf("the next agent left the settings %q", got)
	}
	if left := leftoverFiles(t); len(left) > 0 {
		t.Errorf("there is left %q", left)
	}
}

func waitDead(t *testing.T, pids ...int) {
	t.Helper()
	end := time.Now().Add(quick().Lease + 5*time.Second)
	for _, pid := range pids {
		for !dead(pid) {
			if time.Now().After(end) {
				t.Fatalf("process %d does not die", pid)
			}
			time.Sleep(time.Millisecond)
		}
	}
}

func dead(pid int) bool {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err != nil || strings.Contains(string(text), ") Z ")
}

// Another boot has settings of its own: what an agent left before is dropped.
func TestWhatWasLeftBeforeARebootIsDropped(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := fakeSys(t)
	controller, keeper, worker := startTuner(t, root)
	all := []int{parentOf(worker), worker, keeper, controller.Pid}
	for _, pid := range all {
		stop(t, pid)
	}
	for _, pid := range all {
		kill9(t, pid)
	}
	file := leftoverFiles(t)[0]
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	boot, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	if err != nil {
		t.Fatal(err)
	}
	other := strings.Replace(string(text), strings.TrimSpace(string(boot)), "another", 1)
	if err := os.WriteFile(file, []byte(other), 0o600); err != nil {
		t.Fatal(err)
	}
	waitDead(t, all[:3]...)
	connect(t, remote.Local{}).Close()
	if got := state(root); got != tuned || len(leftoverFiles(t)) > 0 {
		t.Errorf("after a reboot the settings became %q, and there is left %q", got, leftoverFiles(t))
	}
}

// What belongs to a machine is set once for all hosts that are part of it.
func TestHostsOfOneMachineShareSettings(t *testing.T) {
	enginetest.NeedRoot(t)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Setenv("MPF_HOST_LOCK", filepath.Join(t.TempDir(), "lock"))
	const variable = "/proc/sys/kernel/printk_ratelimit_burst"
	value := func() string {
		text, err := os.ReadFile(variable)
		if err != nil {
			enginetest.Unmet(t, "%v", err)
		}
		return strings.TrimSpace(string(text))
	}
	before := value()
	hosts := "hosts:\n  here: {local: true}\n  part: {of: here, cpus: 0}\n"
	c := cluster(t, "", hosts+"tune: {sysctl: {kernel.printk_ratelimit_burst: 77}}\n")
	f := open(t, c)
	if err := f.Tune(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	if got := value(); got != "77" {
		t.Errorf("tuned, it is %s", got)
	}
	want := []tune.Change{{Name: "kernel.printk_ratelimit_burst", Where: "host here", After: "77"}}
	if got := f.Reached[1].Host.Tuned(); !slices.Equal(got, want) {
		t.Errorf("the part has %+v, want %+v", got, want)
	}
	if err := f.Untune(t.Context()); err != nil || value() != before {
		t.Errorf("put back, it is %s, was %s; %v", value(), before, err)
	}
	c = cluster(t, "", strings.Replace(hosts, "cpus: 0", "cpus: 0, tune: {watchdog: on}", 1)+"tune: {watchdog: off}\n")
	err := f.Tune(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), `host "part": tune: watchdog on: it is the machine of host "here", with watchdog off`) {
		t.Errorf("two values for one machine: %v", err)
	}
}

// A second campaign would take for the host's own what the first has set.
func TestAHostIsTunedByOneCampaign(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	root := fakeSys(t)
	controller, keeper, worker := startTuner(t, root)
	guard := parentOf(worker)
	h := connect(t, remote.Local{})
	defer h.Close()
	if err := h.Tune(t.Context(), fastest(root)); err == nil || !strings.Contains(err.Error(), "another campaign has changed settings") {
		t.Errorf("a second campaign: %v", err)
	}
	kill9(t, controller.Pid)
	waitDead(t, keeper, worker, guard)
	if got := state(root); got != found {
		t.Errorf("the settings are %q", got)
	}
}

func TestWhatAHostDoesNotHaveIsAMistakeOfTheClusterFile(t *testing.T) {
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	h := connect(t, remote.Local{})
	defer h.Close()
	w := fastest(t.TempDir())
	w.Settings[0].Pos = engine.Pos{File: "cluster.yaml", Line: 3, Col: 7}
	w.Settings[1].Optional = true
	err := h.Tune(t.Context(), w)
	want := `cluster.yaml:3:7: host "here": tune: governor performance: the kernel does not set the processors' frequency: there is no cpufreq, as in most virtual machines` +
		` (take it out, or measure without it where it is missing: {value: performance, optional: true})`
	var mistakes engine.Mistakes
	if !errors.As(err, &mistakes) || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
	w.Settings[0].Optional = true
	if err := h.Tune(t.Context(), w); err != nil {
		t.Fatal(err)
	}
	for _, c := range h.Tuned() {
		if c.Missing == "" {
			t.Errorf("recorded %+v, want what is missing", c)
		}
	}
}

// A link that breaks ends the agent, which puts all back; the next link tunes
// again.
func TestALinkMadeAnewTunesAgain(t *testing.T) {
	t.Parallel()
	s := remotetest.Sshd(t)
	p := remotetest.NewProxy(t, s.Addr)
	h := open(t, cluster(t, behind(s, p), oneShared)).Reached[0].Host
	root := fakeSys(t)
	if err := h.Tune(t.Context(), fastest(root)); err != nil {
		t.Fatal(err)
	}
	p.BlackHole(true)
	expectState(t, root, found)
	p.BlackHole(false)
	p.Cut()
	err := h.Reach(t.Context())
	for end := time.Now().Add(quick().GiveUp); err != nil && time.Now().Before(end); {
		err = h.Reach(t.Context())
	}
	if err != nil || state(root) != tuned {
		t.Errorf("reached again, the settings are %q; %v", state(root), err)
	}
	if err := h.Untune(t.Context()); err != nil || state(root) != found {
		t.Errorf("at the end the settings are %q; %v", state(root), err)
	}
}

// Real variables of the kernel, those of a network namespace.
func TestSysctlsOfANamespace(t *testing.T) {
	enginetest.NeedRoot(t)
	enginetest.Need(t, "ip")
	name := fmt.Sprintf("mpf-tune-%d", os.Getpid())
	if out, err := exec.Command("ip", "netns", "add", name).CombinedOutput(); err != nil {
		enginetest.Unmet(t, "no network namespaces: %s", out)
	}
	t.Cleanup(func() {
		if out, err := exec.Command("ip", "netns", "delete", name).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	})
	ttl := func() string {
		out, err := exec.Command("ip", "netns", "exec", name, "cat", "/proc/sys/net/ipv4/ip_default_ttl").Output()
		if err != nil {
			t.Fatal(err)
		}
		return strings.TrimSpace(string(out))
	}
	before := ttl()
	h := connect(t, via(t, "ip", "netns", "exec", name))
	defer h.Close()
	want := tune.Wanted{Host: "here", Settings: []inventory.Setting{{Name: "net.ipv4.ip_default_ttl", Value: "77"}}}
	if err := h.Tune(t.Context(), want); err != nil {
		t.Fatal(err)
	}
	if got := ttl(); got != "77" {
		t.Errorf("tuned, it is %s", got)
	}
	if err := h.Untune(t.Context()); err != nil || ttl() != before {
		t.Errorf("put back, it is %s, was %s; %v", ttl(), before, err)
	}
	want.Settings[0] = inventory.Setting{Name: "net.ipv4.no_such", Value: "1"}
	if err := h.Tune(t.Context(), want); err == nil || !strings.Contains(err.Error(), "the kernel has no /proc/sys/net/ipv4/no_such") {
		t.Errorf("a variable that there is not: %v", err)
	}
	want.Settings[0] = inventory.Setting{Name: "net.ipv4.ip_default_ttl", Value: "900"}
	if err := h.Tune(t.Context(), want); err == nil || !strings.Contains(err.Error(), "Invalid argument") {
		t.Errorf("a value that the kernel refuses: %v", err)
	}
}

// The sessions of sshd die, and with them the way to the agent.
func TestSettingsArePutBackWhenSshdDies(t *testing.T) {
	t.Parallel()
	s := remotetest.Sshd(t)
	h := open(t, cluster(t, s.Alias("n"), oneShared)).Reached[0].Host
	root := fakeSys(t)
	if err := h.Tune(t.Context(), fastest(root)); err != nil {
		t.Fatal(err)
	}
	s.KillSessions()
	expectState(t, root, found)
	// With all that they had started, the agent among it, the next one does it.
	reached := func() {
		t.Helper()
		err := h.Reach(t.Context())
		for end := time.Now().Add(quick().GiveUp); err != nil && time.Now().Before(end); {
			err = h.Reach(t.Context()) // the link may not know yet that it is over
		}
		if err != nil || state(root) != tuned {
			t.Fatalf("reached again, the settings are %q; %v", state(root), err)
		}
	}
	reached()
	s.Stop()
	s.Start()
	reached()
	if err := h.Untune(t.Context()); err != nil || state(root) != found {
		t.Errorf("at the end the settings are %q; %v", state(root), err)
	}
}
