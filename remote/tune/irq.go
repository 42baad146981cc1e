package tune

import (
	"path"
	"slices"
	"strconv"
	"strings"

	"mpf/remote/inventory"
	"mpf/remote/wire"
)

// balancing reports whether irqbalance runs on the host.
func (p *planner) balancing() bool {
	return slices.ContainsFunc(p.look("/proc/[0-9]*/comm"), func(f wire.File) bool { return f.Text == "irqbalance" })
}

// irqbalance stops the service that moves interrupts about.
func (p *planner) irqbalance() {
	if !p.balancing() {
		p.stands("irqbalance", "off")
		return
	}
	state, err := p.machine.Ask(p.ctx, "systemctl", "is-active", "irqbalance")
	if err != nil || strings.TrimSpace(state) != "active" {
		p.missing("stop it on the host", "it runs, and is no service of systemd")
		return
	}
	p.add(Step{
		Do: []string{"systemctl", "stop", "irqbalance"}, Undo: []string{"systemctl", "start", "irqbalance"},
		Before: "on", Value: "off",
	})
}

// irqs sends the interrupts of network interfaces to some processors only. Those
// of a virtual interface are its parent's.
func (p *planner) irqs(cpuList string) {
	stopped := slices.ContainsFunc(p.settings, func(s inventory.Setting) bool { return s.Name == inventory.IRQBalance })
	if !stopped && p.balancing() {
		p.missing("add irqbalance: off", "irqbalance runs on the host and would undo it")
		return
	}
	var numbers []int
	for _, pattern := range []string{"/sys/class/net/*/device/msi_irqs/*", "/sys/class/net/*/device/../msi_irqs/*"} {
		for _, f := range p.look(pattern) {
			if n, err := strconv.Atoi(path.Base(f.Path)); err == nil && !slices.Contains(numbers, n) {
				numbers = append(numbers, n)
			}
		}
	}
	slices.Sort(numbers)
	for _, n := range numbers {
		file := "/proc/irq/" + strconv.Itoa(n) + "/smp_affinity_list"
		if len(p.look(file)) > 0 {
			p.write(file, compact(cpuList))
		}
	}
	if len(numbers) == 0 {
		p.missing("", "no network interface of the host has interrupts of its own")
	}
}

// compact writes a list of processors as the kernel does: sorted, with ranges.
func compact(list string) string {
	var all []int
	for _, part := range strings.Split(list, ",") {
		first, last, isRange := strings.Cut(part, "-")
		low, _ := strconv.Atoi(first) // the inventory checked the form
		high := low
		if isRange {
			high, _ = strconv.Atoi(last)
		}
		for n := low; n <= high; n++ {
			all = append(all, n)
		}
	}
	slices.Sort(all)
	all = slices.Compact(all)
	var parts []string
	for i := 0; i < len(all); {
		j := i
		for j+1 < len(all) && all[j+1] == all[j]+1 {
			j++
		}
		part := strconv.Itoa(all[i])
		if j > i {
			part += "-" + strconv.Itoa(all[j])
		}
		parts = append(parts, part)
		i = j + 1
	}
	return strings.Join(parts, ",")
}
