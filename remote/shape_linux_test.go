package remote_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/engine/enginetest"
	"mpf/remote"
	"mpf/remote/inventory"
	"mpf/remote/remotetest"
)

// pair makes a machine with two network namespaces joined by a cable; their
// devices have no addresses.
func pair(t *testing.T) *remotetest.Machine {
	t.Helper()
	m := remotetest.Machines(t, 1)[0]
	for _, words := range []string{
		"netns add red", "netns add blue",
		"link add cable netns red type veth peer name cable netns blue",
		"netns exec red ip link set lo up", "netns exec blue ip link set lo up",
	} {
		if out, err := m.Exec(append([]string{"ip"}, strings.Fields(words)...)...); err != nil {
			enginetest.Unmet(t, "ip %s: %v: %s", words, err, out)
		}
	}
	return m
}

// joined is a cluster of the two namespaces of a pair, with a link between them.
func joined(t *testing.T, m *remotetest.Machine, link string) *inventory.Cluster {
	return cluster(t, m.Alias("root"), `hosts:
  n1: {}
  red: {of: n1, namespace: red, interfaces: {data: {address: 10.9.8.1/24, device: cable}}}
  blue: {of: n1, namespace: blue, interfaces: {data: {address: 10.9.8.2/24, device: cable}}}
links: {data: `+link+`}
`)
}

// disciplines is what the device of the red namespace has.
func disciplines(t *testing.T, m *remotetest.Machine) string {
	t.Helper()
	out, err := m.Exec("ip", "netns", "exec", "red", "tc", "qdisc", "show", "dev", "cable")
	if err != nil {
		t.Fatal(err, out)
	}
	// One that was never up shows nothing.
	return strings.TrimSpace(strings.TrimPrefix(out, "qdisc noqueue 0: root refcnt 2"))
}

func addresses(t *testing.T, m *remotetest.Machine) string {
	t.Helper()
	out, err := m.Exec("ip", "netns", "exec", "red", "ip", "-oneline", "-4", "address", "show", "dev", "cable")
	if err != nil {
		t.Fatal(err, out)
	}
	return strings.TrimSpace(out)
}

// bitsPerSecond measures from red to blue.
func bitsPerSecond(t *testing.T, f *remote.Fleet) float64 {
	t.Helper()
	w, err := f.Host("blue").Open(t.Context(), remotetest.NewAttempt())
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close(t.Context())
	if _, err := w.Start(t.Context(), engine.Command{Argv: []string{"iperf3", "-s"}}, engine.Ready{Port: 5201}); err != nil {
		t.Fatal(err)
	}
	out, err := work(t.Context(), f.Host("red"), "iperf3", "-J", "-t", "2", "-O", "1", "-c", "10.9.8.2")
	if err != nil {
		t.Fatal(err)
	}
	var report struct {
		End struct {
			Received struct {
				Bits float64 `json:"bits_per_second"`
			} `json:"sum_received"`
		}
	}
	if err := json.Unmarshal(out.Stdout.Data, &report); err != nil {
		t.Fatalf("%v: %s", err, out.Stdout.Data)
	}
	return report.End.Received.Bits
}

func TestALinkHasTheRateThatIsDeclared(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "iperf3", "tc")
	m := pair(t)
	c := joined(t, m, "{ends: [red.data, blue.data], rate: 20mbit}")
	f := open(t, c)
	before := disciplines(t, m)
	if err := f.Tune(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	rate := bitsPerSecond(t, f)
	t.Logf("a link of 20 Mbit/s carries %.1f", rate/1e6)
	// What the link's bucket holds at the start comes on top; without a rate it
	// carries thousands.
	if rate < 10e6 || rate > 30e6 {
		t.Error("that is not its rate")
	}
	if err := f.Untune(t.Context()); err != nil {
		t.Error(err)
	}
	if after := disciplines(t, m); after != before || addresses(t, m) != "" {
		t.Errorf("at the end there is %q, was %q; addresses %q", after, before, addresses(t, m))
	}
}

// What somebody had set before comes back, also when the link to the host dies.
func TestTheDisciplineOfAnInterfaceComesBack(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "tc")
	m := pair(t)
	for _, own := range []string{"tbf rate 5mbit burst 32kb latency 70ms", "pfifo limit 77", "bfifo limit 9000", "pfifo_fast"} {
		words := strings.Fields("netns exec red tc qdisc replace dev cable root " + own)
		if out, err := m.Exec(append([]string{"ip"}, words...)...); err != nil {
			enginetest.Unmet(t, "%s: %v: %s", own, err, out)
		}
		before := disciplines(t, m)
		c := joined(t, m, "{ends: [red.data, blue.data], rate: 20mbit}")
		f := open(t, c)
		if err := f.Tune(t.Context(), c); err != nil {
			t.Fatal(err)
		}
		if got := disciplines(t, m); !strings.Contains(got, "20Mbit") {
			t.Errorf("%s: shaped, there is %q", own, got)
		}
		if err := f.Untune(t.Context()); err != nil {
			t.Error(err)
		}
		if got := disciplines(t, m); got != before {
			t.Errorf("at the end there is %q, was %q", got, before)
		}
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestADisciplineWithClassesIsRefused(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "tc")
	m := pair(t)
	if out, err := m.Exec("ip", "netns", "exec", "red", "tc", "qdisc", "replace", "dev", "cable", "root", "htb"); err != nil {
		enginetest.Unmet(t, "htb: %v: %s", err, out)
	}
	c := joined(t, m, "{ends: [red.data, blue.data], rate: 20mbit}")
	f := open(t, c)
	err := f.Tune(t.Context(), c)
	if err == nil || !strings.Contains(err.Error(), "cable has a queueing discipline of its own that cannot be put back") {
		t.Errorf("got %v", err)
	}
	if got := disciplines(t, m); !strings.HasPrefix(got, "qdisc htb") {
		t.Errorf("it became %q", got)
	}
}

// A kernel without netem is said to be one, and nothing of the link stays; one
// with it delays.
func TestADelayNeedsNetem(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "tc")
	m := pair(t)
	before := disciplines(t, m)
	c := joined(t, m, "{ends: [red.data, blue.data], delay: 20ms, loss: 0%}")
	f := open(t, c)
	err := f.Tune(t.Context(), c)
	if err == nil {
		if got := disciplines(t, m); !strings.Contains(got, "delay 20ms") {
			t.Errorf("delayed by 20 ms, there is %q", got)
		}
		if err := f.Untune(t.Context()); err != nil {
			t.Error(err)
		}
	} else if !strings.Contains(err.Error(), `link "data" delay 20ms loss 0%: the kernel of the host has no netem (module sch_netem)`) ||
		!strings.Contains(err.Error(), "linux-modules-extra") {
		t.Errorf("got %v", err)
	}
	if after := disciplines(t, m); after != before || addresses(t, m) != "" {
		t.Errorf("at the end there is %q, was %q; addresses %q", after, before, addresses(t, m))
	}
	if left := due(t, m); left != "" {
		t.Errorf("there is left %q", left)
	}
}

// due are the scripts of a machine that put something back and were not run, or
// could not do all of it.
func due(t *testing.T, m *remotetest.Machine) string {
	t.Helper()
	out, err := m.Exec("sh", "-c", "find ~/.cache/mpf -path '*/tuned/*'")
	if err != nil {
		t.Fatal(err, out)
	}
	return out
}

// What somebody else has undone meanwhile is no trouble, then and later.
func TestWhatIsUndoneAlreadyIsNotPutBack(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "tc")
	m := pair(t)
	c := joined(t, m, "{ends: [red.data, blue.data], rate: 20mbit}")
	f := open(t, c)
	if err := f.Tune(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	for _, words := range []string{"tc qdisc del dev cable root", "ip address flush dev cable"} {
		if out, err := m.Exec(append([]string{"ip", "netns", "exec", "red"}, strings.Fields(words)...)...); err != nil {
			t.Fatal(words, err, out)
		}
	}
	if out, err := m.Exec("ip", "-n", "blue", "link", "delete", "cable"); err != nil {
		t.Fatal(err, out)
	}
	if err := f.Untune(t.Context()); err != nil {
		t.Error(err)
	}
	if left := due(t, m); left != "" {
		t.Errorf("there is left %q", left)
	}
}

// A device that there is not is one mistake, of whoever names it.
func TestAnInterfaceThatThereIsNotIsNamedOnce(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "tc")
	m := pair(t)
	c := cluster(t, m.Alias("root"), `hosts:
  n1: {}
  red: {of: n1, namespace: red, interfaces: {data: {address: 10.9.8.1/24, device: cabel}}}
  blue: {of: n1, namespace: blue, interfaces: {data: {address: 10.9.8.2, device: cabel}}}
links: {data: {ends: [red.data, blue.data], rate: 20mbit}}
`)
	var mistakes engine.Mistakes
	if err := open(t, c).Tune(t.Context(), c); !errors.As(err, &mistakes) || len(mistakes) != 2 {
		t.Fatalf("got %v, want a mistake of each host", err)
	}
	for _, m := range mistakes {
		if !strings.Contains(m.Message, `the host has no interface "cabel"`) || m.Hint != "name one of lo, cable" {
			t.Errorf("got %+v", m)
		}
	}
}

// When sshd and the agent die at once, what was left in a namespace is put back
// by the next agent of the machine, from whichever namespace it looks.
func TestWhatWasLeftInANamespaceIsPutBackFromAnother(t *testing.T) {
	t.Parallel()
	enginetest.Need(t, "tc", "nsenter")
	m := pair(t)
	before := disciplines(t, m)
	c := joined(t, m, "{ends: [red.data, blue.data], rate: 20mbit}")
	f := open(t, c)
	if err := f.Tune(t.Context(), c); err != nil {
		t.Fatal(err)
	}
	const killAll = `for s in STOP KILL; do for p in /proc/[0-9]*; do
		case $(tr '\0' ' ' <$p/cmdline 2>/dev/null) in *" mpf-agent "*|*agent-*|*/tuned/*) [ $p = /proc/$$ ] || kill -$s ${p#/proc/};; esac
	done; done`
	if out, err := m.Exec("sh", "-c", killAll); err != nil {
		t.Log(out) // some were gone by then
	}
	if got := disciplines(t, m); !strings.Contains(got, "20Mbit") {
		t.Fatalf("nobody is left, and there is %q", got)
	}
	again := open(t, cluster(t, m.Alias("root"), "hosts: {n1: {shared: true}}\n"))
	if after := disciplines(t, m); after != before || addresses(t, m) != "" {
		t.Errorf("at the end there is %q, was %q; addresses %q", after, before, addresses(t, m))
	}
	if len(again.Warnings) == 0 || !strings.Contains(strings.Join(again.Warnings, "\n"), "an earlier campaign left settings changed") {
		t.Errorf("warnings %q", again.Warnings)
	}
}
