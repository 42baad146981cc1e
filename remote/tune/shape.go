package tune

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"mpf/remote/inventory"
)

// A qdisc is a queueing discipline as tc(8) describes it.
type qdisc struct {
	Kind   string `json:"kind"`
	Handle string `json:"handle"`
	Root   bool   `json:"root"`
	Parent string `json:"parent"`
}

// ours marks the discipline that is put on the end of a link.
const ours = "6d70:"

// shape puts delay, rate and loss on what leaves an end of a link.
func (p *planner) shape(l inventory.Link, i inventory.Interface) {
	device, ok := p.deviceOf(i)
	if !ok {
		return
	}
	before, undo, ok := p.discipline(device)
	if !ok {
		return
	}
	p.add(Step{
		Network: true,
		Do:      append([]string{"tc", "qdisc", "replace", "dev", device, "root", "handle", ours}, discipline(l)...),
		Undo:    undo, Before: before, Value: strings.Join(discipline(l), " "),
		Made: made{look: []string{"tc", "qdisc", "show", "dev", device}, text: " " + ours + " root "},
	})
}

// discipline is what tc(8) is told. The kernel limits a rate alone by tbf; with
// delay or loss netem does all of it.
func discipline(l inventory.Link) []string {
	if l.Delay == "" && l.Loss == "" {
		return []string{"tbf", "rate", l.Rate, "burst", strconv.Itoa(burst(bitRate(l.Rate))), "latency", "50ms"}
	}
	words := []string{"netem", "limit", strconv.Itoa(queue(l))}
	if l.Delay != "" {
		words = append(words, "delay", l.Delay)
	}
	if l.Loss != "" {
		words = append(words, "loss", l.Loss)
	}
	if l.Rate != "" {
		words = append(words, "rate", l.Rate)
	}
	return words
}

func shapeWords(l inventory.Link) string {
	var words []string
	for _, w := range [][2]string{{"delay", l.Delay}, {"rate", l.Rate}, {"loss", l.Loss}} {
		if w[1] != "" {
			words = append(words, w[0]+" "+w[1])
		}
	}
	return strings.Join(words, " ")
}

// burst is what tbf may send at once: 4 ms of the rate, which is the least that
// a kernel of 250 ticks in a second can hold a rate with, and a large packet.
func burst(rate float64) int { return max(64<<10, int(rate/8*0.004)) }

// queue is how many packets netem holds: twice those that are under way, so that
// it loses none of its own accord. Without a rate the link is taken for one of
// 10 Gbit/s.
func queue(l inventory.Link) int {
	rate := 10e9
	if l.Rate != "" {
		rate = bitRate(l.Rate)
	}
	delay, _ := time.ParseDuration(l.Delay) // the inventory checked the form; none is 0
	const packet = 1500 * 8
	return max(1000, int(2*rate*delay.Seconds()/packet))
}

// bitRate reads a rate of which the inventory checked the form.
func bitRate(text string) float64 {
	digits := strings.TrimRight(text, "kmgtbi")
	factor := map[string]float64{"bit": 1, "kbit": 1e3, "mbit": 1e6, "gbit": 1e9, "tbit": 1e12}[text[len(digits):]]
	number, _ := strconv.ParseFloat(digits, 64)
	return number * factor
}

// discipline looks at what an interface has, and says what brings it back.
func (p *planner) discipline(device string) (before string, undo []string, ok bool) {
	var all []qdisc
	if !p.askJSON(&all, "tc", "-json", "qdisc", "show", "dev", device) {
		return "", nil, false
	}
	undo = []string{"tc", "qdisc", "del", "dev", device, "root"}
	for _, q := range all {
		switch {
		case q.Root && q.Handle == "0:": // the kernel's own: it comes back by itself
			return q.Kind, undo, true
		case q.Root && q.Handle == ours:
			p.missing(fmt.Sprintf("wait for the other campaign's end; if there is none: tc qdisc del dev %s root", device),
				"%s is shaped by another campaign of mpf", device)
			return "", nil, false
		case q.Root:
			return p.ownDiscipline(device, q)
		}
	}
	return "none", undo, true
}

// ownDiscipline says what brings back a discipline that somebody set.
func (p *planner) ownDiscipline(device string, q qdisc) (before string, undo []string, ok bool) {
	text, err := p.machine.Ask(p.ctx, "tc", "qdisc", "show", "dev", device, "root")
	if err != nil {
		p.missing("", "%v", err)
		return "", nil, false
	}
	line, _, more := strings.Cut(strings.TrimSpace(text), "\n")
	options, known := optionsOf(q.Kind, line)
	if !known || more {
		p.missing(fmt.Sprintf("take it off the host first: tc qdisc del dev %s root", device),
			"%s has a queueing discipline of its own that cannot be put back: %q", device, line)
		return "", nil, false
	}
	undo = append([]string{"tc", "qdisc", "replace", "dev", device, "root", "handle", q.Handle, q.Kind}, options...)
	return line, undo, true
}

var (
	shown   = regexp.MustCompile(`^qdisc (\S+) \S+ root(?: refcnt \d+)? ?(.*)$`)
	packets = regexp.MustCompile(`^(\d+)p$`)
)

// optionsOf makes of what tc(8) shows what it takes, for disciplines without
// classes.
func optionsOf(kind, line string) ([]string, bool) {
	found := shown.FindStringSubmatch(line)
	if found == nil || found[1] != kind {
		return nil, false
	}
	switch kind {
	case "pfifo_fast":
		return nil, true // it has no options to set
	case "tbf", "pfifo", "bfifo", "fq", "fq_codel", "netem":
	default:
		return nil, false
	}
	options := strings.Fields(found[2])
	for i, w := range options {
		if w == "lat" {
			options[i] = "latency"
		}
		options[i] = packets.ReplaceAllString(options[i], "$1")
	}
	return options, true
}

// noModule says which part of the kernel a discipline needs.
func (s Step) noModule() Missing {
	kind := "tbf"
	if strings.Contains(strings.Join(s.Do, " "), " netem ") {
		kind = "netem"
	}
	m := Missing{Origin: s.Origin, What: fmt.Sprintf("the kernel of the host has no %s (module sch_%s)", kind, kind)}
	m.Hint = "install it (Debian, Ubuntu: linux-modules-extra-$(uname -r); Fedora, RHEL: kernel-modules-extra)"
	if kind == "netem" {
		m.Hint += ", or take delay and loss out: a rate alone needs sch_tbf only"
	}
	return m
}
