package inventory

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"mpf/engine"
)

func TestReadsEveryKey(t *testing.T) {
	c, err := Read("testdata/full.yaml")
	if err != nil {
		t.Fatal(err)
	}
	if c.SSH.Config != "testdata/ssh_config" || !c.SSH.AcceptNew {
		t.Errorf("ssh: %+v", c.SSH)
	}
	if c.Lease != 10*time.Second {
		t.Errorf("lease %s", c.Lease)
	}
	node1, _ := c.Host("node1")
	if want := (Destination{"alice", "10.0.0.1", "2222"}); node1.SSH != want {
		t.Errorf("node1: %+v, want %+v", node1.SSH, want)
	}
	if want := map[string]string{"data": "192.168.0.1", "mgmt": "10.1.0.1"}; !reflect.DeepEqual(node1.InterfaceAddresses(), want) {
		t.Errorf("node1: interfaces %v", node1.InterfaceAddresses())
	}
	gate, _ := c.Host("gate")
	if gate.Way != BySSH || gate.SSH.Host != "gate" {
		t.Errorf("a host without a way: %+v, want ssh to its name", gate)
	}
	node6, _ := c.Host("node6")
	if want := (Destination{"bob", "fd00::6", "22"}); node6.SSH != want {
		t.Errorf("node6: %+v, want %+v", node6.SSH, want)
	}
	fast, _ := c.Host("fast")
	if fast.SSH != node1.SSH || fast.Namespace != "red" || fast.CPUs != "0-3,8" || fast.Become != "root" {
		t.Errorf("a CPU set of a namespace of a host: %+v", fast)
	}
	for name, want := range map[string]string{"governor": "performance", "turbo": "off", "smt": "off", "irq_cpus": "0-1,6", "net.ipv4.tcp_rmem": "4096 87380 6291456"} {
		tune := c.TuneOf(fast)
		at := slices.IndexFunc(tune, func(s Setting) bool { return s.Name == name })
		if at < 0 || tune[at].Value != want || tune[at].Optional {
			t.Errorf("what is tuned on a part of a host: no %s = %s in %+v", name, want, tune)
		}
	}
	if i := node1.Interfaces[0]; i.Prefix != "24" || i.Device != "eth1" {
		t.Errorf("node1: interface %+v", i)
	}
	link, _ := c.Link("data")
	want := [2]engine.LinkEnd{{Host: "node1", Interface: "data", Address: "192.168.0.1"}, {Host: "red", Interface: "data", Address: "192.168.1.1"}}
	if link.Ends != want {
		t.Errorf("link: %+v", link.Ends)
	}
}

func TestDestinations(t *testing.T) {
	for text, want := range map[string]Destination{
		"node":           {"", "node", ""},
		"a.b-c@node_1:1": {"a.b-c", "node_1", "1"},
		"::1":            {"", "::1", ""},
		"u@fe80::1%eth0": {},
		"[fe80::1%eth0]": {"", "fe80::1%eth0", ""},
		"u@[::1]:22":     {"u", "::1", "22"},
		"-oProxy=x":      {},
		"a b":            {},
		"u@":             {},
		"node:":          {},
		"ssh://node":     {},
	} {
		c, err := Parse("c.yaml", []byte("hosts: {n: {ssh: \""+text+"\"}}"))
		if want == (Destination{}) {
			if err == nil {
				t.Errorf("%q: read as %+v", text, c.Hosts[0].SSH)
			}
			continue
		}
		if err != nil || c.Hosts[0].SSH != want {
			t.Errorf("%q: %+v, %v, want %+v", text, c, err, want)
		}
	}
}

// The archive holds cluster files that are wrong and, in NAME.err, all that
// must be said of each.
func TestMistakesAreSaidAllAtOnce(t *testing.T) {
	archive, err := txtar.ParseFile("testdata/mistakes.txtar")
	if err != nil {
		t.Fatal(err)
	}
	for i := 0; i+1 < len(archive.Files); i += 2 {
		file, want := archive.Files[i], archive.Files[i+1]
		_, err := Parse(file.Name, file.Data)
		var mistakes engine.Mistakes
		if !errors.As(err, &mistakes) {
			t.Errorf("%s: %v", file.Name, err)
			continue
		}
		if got := err.Error() + "\n"; got != string(want.Data) {
			t.Errorf("%s: got\n%swant\n%s", file.Name, got, want.Data)
		}
	}
}

func TestReadRefusesWhatIsNoClusterFile(t *testing.T) {
	big := filepath.Join(t.TempDir(), "big.yaml")
	if err := os.WriteFile(big, make([]byte, maxSize+1), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"testdata/none.yaml": "no such file",
		"testdata":           "not a regular file",
		"/dev/zero":          "not a regular file",
		big:                  "not a regular file",
	} {
		if _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", path, err, want)
		}
	}
}

func FuzzParse(f *testing.F) {
	for _, name := range []string{"testdata/two.yaml", "testdata/full.yaml"} {
		data, err := os.ReadFile(name)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		c, err := Parse("c.yaml", data)
		if err != nil {
			return
		}
		for _, l := range c.Links {
			for _, end := range l.Ends {
				if _, ok := c.Host(end.Host); !ok {
					t.Errorf("link %q: dangling host %q", l.Name, end.Host)
				}
			}
		}
	})
}
