package sample

import (
	"os"
	"slices"
	"strings"
	"time"

	"github.com/shirou/gopsutil/v3/net"

	"mpf/remote/wire"
)

// NICPrefix begins the names of the counters of NICs that were named.
const NICPrefix = "nic." // nic.eth0.sent_bytes, .received_bytes

// allNICs asks for every NIC that is not a loopback.
const allNICs = "all"

// A nicSet is the NICs that count as external: those that were named, all, or
// the physical ones, since bridges, tunnels and the like count the same bytes
// again.
type nicSet struct {
	asked    []string
	physical map[string]bool
	at       time.Time
	last     []net.IOCountersStat
}

func (n *nicSet) refresh() {
	if !n.at.IsZero() && time.Since(n.at) < rescan {
		return
	}
	n.at, n.physical = time.Now(), map[string]bool{}
	entries, err := os.ReadDir("/sys/class/net")
	if err != nil {
		return
	}
	for _, entry := range entries {
		if _, err := os.Stat("/sys/class/net/" + entry.Name() + "/device"); err == nil {
			n.physical[entry.Name()] = true
		}
	}
}

func (n *nicSet) read(v *wire.HostReading, w warnings) {
	v.LoSent, v.LoRecv, v.ExtSent, v.ExtRecv = -1, -1, -1, -1
	counters, err := net.IOCounters(true)
	n.last = counters
	if err != nil {
		w.add("nics", "network counters could not be read: %v", err)
		return
	}
	external := n.external(counters, w)
	v.LoSent, v.LoRecv, v.ExtSent, v.ExtRecv = 0, 0, 0, 0
	for _, c := range counters {
		switch {
		case isLoopback(c.Name):
			v.LoSent += int64(c.BytesSent)
			v.LoRecv += int64(c.BytesRecv)
		case external(c.Name):
			v.ExtSent += int64(c.BytesSent)
			v.ExtRecv += int64(c.BytesRecv)
		}
	}
}

func (n *nicSet) external(counters []net.IOCountersStat, w warnings) func(name string) bool {
	if slices.Contains(n.asked, allNICs) {
		return func(string) bool { return true }
	}
	if len(n.asked) > 0 {
		for _, name := range n.asked {
			if !slices.ContainsFunc(counters, func(c net.IOCountersStat) bool { return c.Name == name }) {
				w.add("nic "+name, "there is no network interface %q", name)
			}
		}
		return func(name string) bool { return slices.Contains(n.asked, name) }
	}
	n.refresh()
	if !slices.ContainsFunc(counters, func(c net.IOCountersStat) bool { return n.physical[c.Name] && !isLoopback(c.Name) }) {
		w.add("nics", "no network interface is physical: all but loopback are counted")
		return func(string) bool { return true }
	}
	return func(name string) bool { return n.physical[name] }
}

// isLoopback goes by the name, as people do.
func isLoopback(name string) bool {
	name = strings.ToLower(name)
	return name == "lo" || strings.Contains(name, "loopback")
}

// extra adds the counters of NICs that were named, each for itself.
func (n *nicSet) extra(extra map[string]float64) {
	for _, c := range n.last {
		if slices.Contains(n.asked, c.Name) {
			extra[NICPrefix+c.Name+".sent_bytes"] = float64(c.BytesSent)
			extra[NICPrefix+c.Name+".received_bytes"] = float64(c.BytesRecv)
		}
	}
}
