package tune

import (
	"context"
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/remote/inventory"
	"mpf/remote/wire"
)

// here is this machine, looked at without an agent. Programs are answered for
// where answers says so.
type here struct {
	dir     string
	answers map[string]string
}

func (h here) Look(_ context.Context, patterns ...string) ([]wire.File, error) {
	var files []wire.File
	for _, pattern := range patterns {
		paths, err := filepath.Glob(pattern)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			text, _ := os.ReadFile(path) // a folder, or what must not be read, is empty
			files = append(files, wire.File{Path: path, Text: strings.TrimSpace(string(text))})
		}
	}
	return files, nil
}

func (h here) Ask(ctx context.Context, argv ...string) (string, error) {
	if answer, known := h.answers[strings.Join(argv, " ")]; known {
		return answer, nil
	}
	out, err := exec.CommandContext(ctx, argv[0], argv[1:]...).Output()
	return string(out), err
}

func (h here) script() string { return filepath.Join(h.dir, "script") }

func (h here) Keep(_ context.Context, script string) error {
	return os.WriteFile(h.script(), []byte(script), 0o600)
}

func (h here) Restore(ctx context.Context) (string, error) { return h.Ask(ctx, "sh", h.script()) }

// machine makes the files of a machine and returns their root.
func machine(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for path, text := range files {
		path = filepath.Join(root, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

// contents are the files of a machine.
func contents(t *testing.T, root string, files map[string]string) map[string]string {
	t.Helper()
	now := map[string]string{}
	for path := range files {
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		now[path] = strings.TrimSpace(string(text))
	}
	return now
}

func all(values map[string]string) []inventory.Setting {
	var settings []inventory.Setting
	for _, name := range slices.Sorted(maps.Keys(values)) {
		settings = append(settings, inventory.Setting{Name: name, Value: values[name]})
	}
	return settings
}

// Every knob is turned and put back.
func TestEveryKnob(t *testing.T) {
	before := map[string]string{
		"sys/devices/system/cpu/smt/control":                   "on",
		"sys/devices/system/cpu/cpufreq/boost":                 "1",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "powersave",
		"sys/devices/system/cpu/cpu1/cpufreq/scaling_governor": "performance",
		"sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_min_freq": "800000",
		"sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq": "4000000",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq": "800000",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq": "4000000",
		"sys/devices/system/cpu/cpu0/cpuidle/state0/latency":   "0",
		"sys/devices/system/cpu/cpu0/cpuidle/state0/disable":   "0",
		"sys/devices/system/cpu/cpu0/cpuidle/state1/latency":   "33",
		"sys/devices/system/cpu/cpu0/cpuidle/state1/disable":   "0",
		"sys/class/net/eth0/device/msi_irqs/45":                "msix",
		"proc/irq/45/smp_affinity_list":                        "0-3",
		"proc/sys/vm/swappiness":                               "60",
		"proc/sys/kernel/randomize_va_space":                   "2",
		"proc/sys/kernel/watchdog":                             "1",
		"proc/sys/kernel/numa_balancing":                       "1",
		"proc/sys/net/ipv4/tcp_rmem":                           "4096\t131072\t6291456",
		"proc/1/comm":                                          "init",
	}
	root := machine(t, before)
	w := Wanted{Host: "h", Root: root, Settings: all(map[string]string{
		inventory.SMT: "off", inventory.Turbo: "off", inventory.Governor: "performance", inventory.FrequencyMax: "2.4GHz",
		inventory.FrequencyMin: "2400MHz", inventory.IdleLatency: "10us", inventory.IRQBalance: "off", inventory.IRQCPUs: "3,0,1",
		inventory.Swappiness: "10", inventory.ASLR: "off", inventory.Watchdog: "off", inventory.NUMABalancing: "off",
		"net.ipv4.tcp_rmem": "4096 87380 6291456",
	})}
	h := here{dir: t.TempDir()}
	applied, err := Apply(t.Context(), h, w)
	if err != nil {
		t.Fatal(err)
	}
	want := maps.Clone(before)
	for path, value := range map[string]string{
		"sys/devices/system/cpu/smt/control": "off", "sys/devices/system/cpu/cpufreq/boost": "0",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_governor": "performance", "sys/devices/system/cpu/cpu0/cpufreq/scaling_max_freq": "2400000",
		"sys/devices/system/cpu/cpu0/cpufreq/scaling_min_freq": "2400000", "sys/devices/system/cpu/cpu0/cpuidle/state1/disable": "1",
		"proc/irq/45/smp_affinity_list": "0-1,3", "proc/sys/vm/swappiness": "10", "proc/sys/kernel/randomize_va_space": "0",
		"proc/sys/kernel/watchdog": "0", "proc/sys/kernel/numa_balancing": "0", "proc/sys/net/ipv4/tcp_rmem": "4096 87380 6291456",
	} {
		want[path] = value
	}
	if got := contents(t, root, before); !reflect.DeepEqual(got, want) {
		t.Errorf("tuned, the files are\n%v, want\n%v", got, want)
	}
	if len(applied.Changes) != len(w.Settings) {
		t.Errorf("%d settings gave the changes %+v", len(w.Settings), applied.Changes)
	}
	if err := applied.Restore(t.Context(), h, "h"); err != nil {
		t.Error(err)
	}
	if got := contents(t, root, before); !reflect.DeepEqual(got, before) {
		t.Errorf("at the end the files are\n%v, want\n%v", got, before)
	}
	if _, err := os.Stat(h.script()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the script is still there: %v", err)
	}
}

// What a machine does not have is said, all at once, and nothing is touched.
func TestAMachineWithoutAnything(t *testing.T) {
	root := machine(t, map[string]string{"proc/sys/vm/swappiness": "60", "proc/1/comm": "irqbalance", "sys/devices/system/cpu/smt/control": "notsupported"})
	w := Wanted{Host: "h", Root: root, Settings: all(map[string]string{
		inventory.SMT: "on", inventory.Turbo: "off", inventory.Governor: "performance", inventory.FrequencyMax: "2GHz",
		inventory.IdleLatency: "10us", inventory.IRQCPUs: "0", inventory.HugePages: "never", inventory.Swappiness: "10", "kernel.none": "1",
	})}
	_, err := Apply(t.Context(), here{dir: t.TempDir()}, w)
	for _, want := range []string{
		`host "h": tune: smt on: the processors have none: `,
		`host "h": tune: turbo off: the kernel has no switch of it`,
		`host "h": tune: governor performance: the kernel does not set the processors' frequency`,
		`host "h": tune: frequency_max 2GHz: the kernel does not set the processors' frequency`,
		`host "h": tune: idle_latency 10us: the kernel has no idle states to forbid`,
		`host "h": tune: irq_cpus 0: irqbalance runs on the host and would undo it (add irqbalance: off)`,
		`host "h": tune: huge_pages never: the kernel has no /sys/kernel/mm/transparent_hugepage/enabled`,
		`host "h": tune: kernel.none 1: the kernel has no /proc/sys/kernel/none`,
	} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("not said: %s", want)
		}
	}
	var mistakes engine.Mistakes
	if !errors.As(err, &mistakes) || len(mistakes) != 8 {
		t.Errorf("got %v", err)
	}
	if got := contents(t, root, map[string]string{"proc/sys/vm/swappiness": ""})["proc/sys/vm/swappiness"]; got != "60" {
		t.Errorf("something was set although not all could be: %s", got)
	}
}

func TestDisciplines(t *testing.T) {
	for want, l := range map[string]inventory.Link{
		"tbf rate 1gbit burst 500000 latency 50ms":         {Rate: "1gbit"},
		"tbf rate 10mbit burst 65536 latency 50ms":         {Rate: "10mbit"},
		"netem limit 16666 delay 10ms":                     {Delay: "10ms"},
		"netem limit 1666 delay 10ms loss 0.1% rate 1gbit": {Delay: "10ms", Rate: "1gbit", Loss: "0.1%"},
		"netem limit 1000 loss 1%":                         {Loss: "1%"},
	} {
		if got := strings.Join(discipline(l), " "); got != want {
			t.Errorf("%+v: %s, want %s", l, got, want)
		}
	}
}

// What tc shows of a discipline becomes what it takes.
func TestOptionsOfDisciplines(t *testing.T) {
	for line, want := range map[string]string{
		"qdisc tbf 8002: root refcnt 3 rate 10Mbit burst 32Kb lat 50ms":                          "rate 10Mbit burst 32Kb latency 50ms",
		"qdisc pfifo 8003: root refcnt 3 limit 77p":                                              "limit 77",
		"qdisc pfifo_fast 8006: root refcnt 3 bands 3 priomap 1 2 2":                             "",
		"qdisc fq_codel 8001: root refcnt 2 limit 10240p flows 1024 quantum 1514 target 5ms ecn": "limit 10240 flows 1024 quantum 1514 target 5ms ecn",
		"qdisc htb 8005: root refcnt 3 r2q 10 default 0 direct_packets_stat 0":                   "refused",
		"nonsense": "refused",
	} {
		kind := ""
		if fields := strings.Fields(line); len(fields) > 1 {
			kind = fields[1]
		}
		options, ok := optionsOf(kind, line)
		if got := strings.Join(options, " "); ok == (want == "refused") || ok && got != want {
			t.Errorf("%s: %q, %v", line, got, ok)
		}
	}
}

// An interface is found by its address, and one that there is not is named.
func TestInterfacesByAddress(t *testing.T) {
	h := here{dir: t.TempDir(), answers: map[string]string{
		"ip -json address show":        `[{"ifname":"lo","flags":["UP"],"addr_info":[]},{"ifname":"eth3","flags":["UP"],"addr_info":[{"local":"10.0.0.1","prefixlen":24}]}]`,
		"tc -json qdisc show dev eth3": `[{"kind":"mq","handle":"0:","root":true},{"kind":"fq_codel","handle":"0:","parent":":1"}]`,
	}}
	w := Wanted{
		Host: "h", Interfaces: []inventory.Interface{{Name: "data", Address: "10.0.0.1"}, {Name: "other", Address: "10.0.0.2", Prefix: "24", Device: "eth9"}},
		Links: []inventory.Link{{Name: "wan", Ends: [2]inventory.End{{Host: "h", Interface: "data"}, {Host: "g", Interface: "data"}}, Rate: "1mbit"}},
	}
	plan, err := makePlan(t.Context(), h, w)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"tc", "qdisc", "replace", "dev", "eth3", "root", "handle", "6d70:", "tbf", "rate", "1mbit", "burst", "65536", "latency", "50ms"}
	if len(plan.Steps) != 1 || !slices.Equal(plan.Steps[0].Do, want) || strings.Join(plan.Steps[0].Undo, " ") != "tc qdisc del dev eth3 root" {
		t.Errorf("steps %+v", plan.Steps)
	}
	if len(plan.Missing) != 1 || plan.Missing[0].What != `the host has no interface "eth9"` || plan.Missing[0].Hint != "name one of lo, eth3" {
		t.Errorf("missing %+v", plan.Missing)
	}
}

func TestWordsOfAShell(t *testing.T) {
	argv := []string{"printf", "%s|", "a b", "it's", "$HOME", "`x`", "", "*"}
	out, err := exec.Command("sh", "-c", words(argv)).Output()
	if err != nil || string(out) != "a b|it's|$HOME|`x`||*|" {
		t.Errorf("%q, %v", out, err)
	}
}

// The service is stopped before interrupts are moved, and started at the end.
func TestIRQBalanceIsStoppedAndStarted(t *testing.T) {
	root := machine(t, map[string]string{"proc/7/comm": "irqbalance", "sys/class/net/eth0/device/msi_irqs/9": "msi", "proc/irq/9/smp_affinity_list": "0-7"})
	w := Wanted{Host: "h", Root: root, Settings: all(map[string]string{inventory.IRQBalance: "off", inventory.IRQCPUs: "0"})}
	h := here{answers: map[string]string{"systemctl is-active irqbalance": "active\n"}}
	plan, err := makePlan(t.Context(), h, w)
	if err != nil || len(plan.Steps) != 2 || len(plan.Missing) != 0 {
		t.Fatalf("%+v, %v", plan, err)
	}
	first := plan.Steps[0]
	if words(first.Do) != "'systemctl' 'stop' 'irqbalance'" || words(first.Undo) != "'systemctl' 'start' 'irqbalance'" || first.Before != "on" {
		t.Errorf("first %+v", first)
	}
	h.answers["systemctl is-active irqbalance"] = "inactive\n"
	plan, err = makePlan(t.Context(), h, w)
	if err != nil || len(plan.Missing) != 1 || plan.Missing[0].What != "it runs, and is no service of systemd" {
		t.Errorf("%+v, %v", plan, err)
	}
}

// What a host says to a step comes with what mends it.
func TestRefusals(t *testing.T) {
	tc := Step{Do: []string{"tc", "qdisc", "replace", "dev", "eth0", "root", "netem", "delay", "1ms"}}
	for _, c := range []struct {
		step       Step
		said, hint string
	}{
		{Step{}, "tee: /sys/x: Permission denied", "become: root"},
		{tc, "RTNETLINK answers: Operation not permitted", "become: root"},
		{tc, "sh: 1: tc: not found", `install "tc"`},
		{tc, "Error: Specified qdisc kind is unknown.", "linux-modules-extra"},
		{Step{}, "tee: /sys/x: Invalid argument", "optional: true"},
	} {
		got := c.step.refusal(c.said).mistake("h")
		if !strings.Contains(got.Hint, c.hint) {
			t.Errorf("%s: %v, want a hint with %s", c.said, got, c.hint)
		}
	}
}

// What cannot be put back is said, and its script stays for another try.
func TestWhatcannotBePutBackIsSaidAndStays(t *testing.T) {
	files := map[string]string{"proc/sys/vm/swappiness": "60", "proc/sys/kernel/watchdog": "1"}
	root := machine(t, files)
	h := here{dir: t.TempDir()}
	applied, err := Apply(t.Context(), h, Wanted{Host: "h", Root: root, Settings: all(map[string]string{inventory.Swappiness: "10", inventory.Watchdog: "off"})})
	if err != nil {
		t.Fatal(err)
	}
	gone := filepath.Join(root, "proc/sys/vm/swappiness")
	for _, do := range []func() error{func() error { return os.Remove(gone) }, func() error { return os.Mkdir(gone, 0o755) }} {
		if err := do(); err != nil {
			t.Fatal(err)
		}
	}
	err = applied.Restore(t.Context(), h, "h")
	if err == nil || !strings.Contains(err.Error(), `host "h": swappiness cannot be put back to 60: `) {
		t.Errorf("got %v", err)
	}
	if text, err := os.ReadFile(filepath.Join(root, "proc/sys/kernel/watchdog")); err != nil || string(text) != "1" {
		t.Errorf("the other setting is %q, %v", text, err)
	}
	if err := os.Remove(gone); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(gone, []byte("10"), 0o644); err != nil {
		t.Fatal(err)
	}
	if said, err := h.Restore(t.Context()); err != nil || !strings.Contains(said, "swappiness is put back to 60") {
		t.Errorf("the next try says %q, %v", said, err)
	}
	if _, err := os.Stat(h.script()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the script is still there: %v", err)
	}
}
