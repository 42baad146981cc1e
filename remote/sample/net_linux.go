package sample

import (
	"bytes"
	"os"
	"slices"
	"strings"

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
	dev      counterFile
	looked   []string // names of those that were there when it was asked which are physical
	physical []string
	last     []nicLine
	tally    tally
	loopback traffic
	external traffic
}

// nicLine is what /proc/net/dev says of a NIC.
type nicLine struct {
	name string
	traffic
}

// refresh asks which NICs are physical whenever others are there than before.
func (n *nicSet) refresh() {
	if slices.EqualFunc(n.last, n.looked, func(c nicLine, name string) bool { return c.name == name }) {
		return
	}
	n.looked, n.physical = nil, nil
	for _, c := range n.last {
		n.looked = append(n.looked, c.name)
		if _, err := os.Stat("/sys/class/net/" + c.name + "/device"); err == nil {
			n.physical = append(n.physical, c.name)
		}
	}
}

func (n *nicSet) read(v *wire.HostReading, w warnings) {
	v.LoSent, v.LoRecv, v.ExtSent, v.ExtRecv = -1, -1, -1, -1
	text, err := n.dev.read()
	if err != nil {
		n.last = nil
		w.add("nics", "network counters could not be read: %v", err)
		return
	}
	n.last = parseNICs(text, n.last)
	n.count(w)
	v.LoSent, v.LoRecv = n.loopback[0], n.loopback[1]
	v.ExtSent, v.ExtRecv = n.external[0], n.external[1]
}

// count adds what NICs gained to the sum of their class. All are remembered: one
// that is in no class now may be in one later, with what it gains from then on.
func (n *nicSet) count(w warnings) {
	counts := n.externals(w)
	for _, c := range n.last {
		gain, reset := n.tally.gained(c.name, c.traffic)
		switch {
		case isLoopback(c.name):
			n.loopback.add(gain)
		case counts(c.name):
			n.external.add(gain)
		default:
			continue
		}
		if reset {
			w.add("reset "+c.name, "the counters of network interface %q went down: they were reset and count from 0", c.name)
		}
	}
}

// parseNICs reads the lines of NICs: a name with a colon behind it, eight
// counters of what was received, of which bytes are the first, and as many of
// what was sent. Names that stand where they stood before are not made anew.
func parseNICs(text []byte, before []nicLine) []nicLine {
	lines := before[:0]
	for len(text) > 0 {
		var line []byte
		line, text = cutLine(text)
		colon := bytes.LastIndexByte(line, ':')
		if colon < 0 {
			continue // a heading
		}
		name, rest := bytes.TrimSpace(line[:colon]), line[colon+1:]
		received, rest, ok := cutNumber(rest)
		sent := uint64(0)
		for range 8 {
			if ok {
				sent, rest, ok = cutNumber(rest)
			}
		}
		if !ok {
			continue
		}
		if i := len(lines); i < len(before) && before[i].name == string(name) {
			lines = append(lines, nicLine{before[i].name, traffic{int64(sent), int64(received)}})
		} else {
			lines = append(lines, nicLine{string(name), traffic{int64(sent), int64(received)}})
		}
	}
	return lines
}

// externals says which NICs count as external.
func (n *nicSet) externals(w warnings) func(name string) bool {
	if slices.Contains(n.asked, allNICs) {
		return func(string) bool { return true }
	}
	if len(n.asked) > 0 {
		for _, name := range n.asked {
			if !slices.ContainsFunc(n.last, func(c nicLine) bool { return c.name == name }) {
				w.add("nic "+name, "there is no network interface %q", name)
			}
		}
		return func(name string) bool { return slices.Contains(n.asked, name) }
	}
	n.refresh()
	physical := func(name string) bool { return slices.Contains(n.physical, name) }
	if !slices.ContainsFunc(n.last, func(c nicLine) bool { return physical(c.name) && !isLoopback(c.name) }) {
		w.add("nics", "no network interface is physical: all but loopback are counted")
		return func(string) bool { return true }
	}
	return physical
}

// isLoopback goes by the name, as people do.
func isLoopback(name string) bool {
	if len(name) < len("loopback") {
		return strings.EqualFold(name, "lo")
	}
	return strings.Contains(strings.ToLower(name), "loopback")
}

// extra adds the counters of NICs that were named, each for itself.
func (n *nicSet) extra(extra map[string]float64) {
	if len(n.asked) == 0 {
		return
	}
	for _, c := range n.last {
		if slices.Contains(n.asked, c.name) {
			extra[NICPrefix+c.name+".sent_bytes"] = float64(c.traffic[0])
			extra[NICPrefix+c.name+".received_bytes"] = float64(c.traffic[1])
		}
	}
}
