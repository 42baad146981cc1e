package remotetest

import (
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"mpf/engine/enginetest"
)

// network is a switch with a cable to each machine and one to this machine. All
// of it lives in namespaces that processes hold, so that nothing outlives them.
type network struct {
	t        testing.TB
	dir      string
	prefix   string // of addresses: "10.17.23."
	key      string
	known    string
	fabric   *held
	machines []*Machine
}

// Machines makes n machines joined by a switch, and boots them. It needs root.
func Machines(t testing.TB, n int) []*Machine {
	t.Helper()
	enginetest.NeedRoot(t)
	enginetest.Need(t, "sshd", "ssh-keygen", "ip", "unshare", "nsenter")
	w := &network{t: t, dir: t.TempDir(), prefix: freePrefix(t)}
	w.key, w.known = filepath.Join(w.dir, "id"), filepath.Join(w.dir, "known_hosts")
	GenerateKey(t, w.key, "ed25519")
	w.fabric = holdNetwork(t)
	w.inFabric("ip", "link", "add", "switch", "type", "bridge")
	w.link("switch", "up")
	w.attach()
	for i := range n {
		w.machines = append(w.machines, w.machine(i+1))
	}
	t.Cleanup(w.close)
	for _, m := range w.machines {
		m.Boot()
	}
	return w.machines
}

// freePrefix draws addresses that no interface here has.
func freePrefix(t testing.TB) string {
	taken, err := net.InterfaceAddrs()
	if err != nil {
		t.Fatal(err)
	}
	for {
		var b [2]byte
		_, _ = rand.Read(b[:]) // never fails
		prefix := fmt.Sprintf("10.%d.%d.", 128+b[0]/2, b[1])
		free := true
		for _, a := range taken {
			free = free && !strings.HasPrefix(a.String(), prefix)
		}
		if free {
			return prefix
		}
	}
}

// attach lays the cable from here to the switch.
func (w *network) attach() {
	name := "t" + random(4)
	w.run("ip", "link", "add", name, "type", "veth", "peer", "name", "here", "netns", strconv.Itoa(w.fabric.pid()))
	w.run("ip", "addr", "add", w.prefix+"254/24", "dev", name)
	w.run("ip", "link", "set", name, "up")
	w.inFabric("ip", "link", "set", "here", "master", "switch", "up")
}

// machine makes a machine that is off.
func (w *network) machine(i int) *Machine {
	m := &Machine{t: w.t, network: w, Name: "n" + strconv.Itoa(i), Address: w.prefix + strconv.Itoa(i), port: "port" + strconv.Itoa(i)}
	m.dir = filepath.Join(w.dir, m.Name)
	for _, folder := range []string{"upper", "work", "root"} {
		if err := os.MkdirAll(m.path(folder), 0o755); err != nil {
			w.t.Fatal(err)
		}
	}
	GenerateKey(w.t, m.path("host"), "ed25519")
	m.HostKey = strings.TrimSpace(w.read(m.path("host.pub")))
	w.append(w.known, m.Address+" "+m.HostKey+"\n")
	w.append(m.path("authorized_keys"), w.read(w.key+".pub"))
	m.holder = holdNetwork(w.t)
	holder := strconv.Itoa(m.holder.pid())
	w.inFabric("ip", "link", "add", m.port, "type", "veth", "peer", "name", "cable"+strconv.Itoa(i))
	w.inFabric("ip", "link", "set", "cable"+strconv.Itoa(i), "netns", holder, "name", "eth0")
	w.inFabric("ip", "link", "set", m.port, "master", "switch")
	inside := []string{"nsenter", "--net=/proc/" + holder + "/ns/net", "ip"}
	for _, words := range [][]string{
		{"addr", "add", m.Address + "/24", "dev", "eth0"}, {"link", "set", "lo", "up"}, {"link", "set", "eth0", "up"},
	} {
		w.run(append(inside, words...)...)
	}
	return m
}

func (w *network) hosts() string {
	var lines []string
	for _, m := range w.machines {
		lines = append(lines, m.Address+" "+m.Name)
	}
	return strings.Join(lines, "\n")
}

func (w *network) link(port, state string) { w.inFabric("ip", "link", "set", port, state) }

func (w *network) inFabric(argv ...string) {
	w.t.Helper()
	w.run(append([]string{"nsenter", "--net=/proc/" + strconv.Itoa(w.fabric.pid()) + "/ns/net"}, argv...)...)
}

func (w *network) run(argv ...string) {
	w.t.Helper()
	if out, err := exec.Command(argv[0], argv[1:]...).CombinedOutput(); err != nil {
		w.t.Fatalf("%s: %v: %s", strings.Join(argv, " "), err, out)
	}
}

func (w *network) read(path string) string {
	content, err := os.ReadFile(path)
	if err != nil {
		w.t.Fatal(err)
	}
	return string(content)
}

func (w *network) append(path, text string) {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600)
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	if _, err := f.WriteString(text); err != nil {
		w.t.Fatal(err)
	}
}

func (w *network) close() {
	for _, m := range w.machines {
		m.off()
		m.holder.kill()
	}
	w.fabric.kill()
}

func random(n int) string {
	b := make([]byte, n)
	_, _ = rand.Read(b) // never fails
	return hex.EncodeToString(b)
}
