package tune

import (
	"fmt"
	"path"
	"slices"
	"strconv"
	"strings"

	"mpf/remote/inventory"
)

const cpus = "/sys/devices/system/cpu/"

func (p *planner) setting(s inventory.Setting) {
	switch s.Name {
	case inventory.SMT:
		p.smt(s.Value)
	case inventory.Turbo:
		p.turbo(s.Value)
	case inventory.Governor:
		p.governor(s.Value)
	case inventory.FrequencyMax:
		p.frequency("scaling_max_freq", s.Value)
	case inventory.FrequencyMin:
		p.frequency("scaling_min_freq", s.Value)
	case inventory.IdleLatency:
		p.idle(s.Value)
	case inventory.IRQBalance:
		p.irqbalance()
	case inventory.IRQCPUs:
		p.irqs(s.Value)
	case inventory.HugePages:
		p.write("/sys/kernel/mm/transparent_hugepage/enabled", s.Value)
	case inventory.Swappiness:
		p.sysctl("vm.swappiness", s.Value)
	case inventory.ASLR:
		p.sysctl("kernel.randomize_va_space", map[string]string{"on": "2", "off": "0"}[s.Value])
	case inventory.Watchdog:
		p.sysctl("kernel.watchdog", digit(s.Value == "on"))
	case inventory.NUMABalancing:
		p.sysctl("kernel.numa_balancing", digit(s.Value == "on"))
	default:
		p.sysctl(s.Name, s.Value)
	}
}

func digit(on bool) string {
	if on {
		return "1"
	}
	return "0"
}

// sysctl writes a variable of the kernel. A name with slashes may have dots in
// its parts.
func (p *planner) sysctl(name, value string) {
	if !strings.Contains(name, "/") {
		name = strings.ReplaceAll(name, ".", "/")
	}
	p.write("/proc/sys/"+name, value)
}

func (p *planner) smt(value string) {
	const control = cpus + "smt/control"
	switch now := p.text(control); {
	case now == "":
		p.missing("", "the kernel has no switch of it, %s", control)
	case strings.HasPrefix(now, "not") && value == "off":
		p.stands(control, now) // each core is one thread
	case strings.HasPrefix(now, "not"):
		p.missing("", "the processors have none: %s says %q", control, now)
	case now == "forceoff" && value == "off":
		p.stands(control, now)
	default:
		p.write(control, value)
	}
}

// turbo has a switch for all processors, or one for each frequency policy.
func (p *planner) turbo(value string) {
	const intel, boost, policies = cpus + "intel_pstate/no_turbo", cpus + "cpufreq/boost", cpus + "cpufreq/policy[0-9]*/boost"
	switch {
	case len(p.look(intel)) > 0:
		p.write(intel, digit(value == "off"))
	case len(p.look(boost)) > 0:
		p.write(boost, digit(value == "on"))
	case len(p.look(policies)) > 0:
		p.write(policies, digit(value == "on"))
	default:
		p.missing("", "the kernel has no switch of it, as in %s and %s", intel, boost)
	}
}

const policy = cpus + "cpu[0-9]*/cpufreq/"

// noScaling says that the frequency is not the kernel's to set.
const noScaling = "the kernel does not set the processors' frequency: there is no cpufreq, as in most virtual machines"

func (p *planner) governor(value string) {
	known := p.look(policy + "scaling_available_governors")
	if len(p.look(policy+"scaling_governor")) == 0 {
		p.missing("", noScaling)
		return
	}
	for _, f := range known {
		if words := strings.Fields(f.Text); len(words) > 0 && !slices.Contains(words, value) {
			p.missing("one of "+strings.Join(words, ", "), "the kernel has no such governor")
			return
		}
	}
	p.write(policy+"scaling_governor", value)
}

func (p *planner) frequency(name, value string) {
	if len(p.look(policy+name)) == 0 {
		p.missing("", noScaling)
		return
	}
	khz := kiloHertz(value)
	low, high := p.number(policy+"cpuinfo_min_freq", slices.Min[[]int64]), p.number(policy+"cpuinfo_max_freq", slices.Max[[]int64])
	if high > 0 && (khz > high || khz < low) {
		p.missing("", "the processors run at %d to %d kHz", low, high)
		return
	}
	p.write(policy+name, strconv.FormatInt(khz, 10))
}

// number folds the numbers in files; 0 where there is none.
func (p *planner) number(pattern string, fold func([]int64) int64) int64 {
	var all []int64
	for _, f := range p.look(pattern) {
		if n, err := strconv.ParseInt(f.Text, 10, 64); err == nil {
			all = append(all, n)
		}
	}
	if all == nil {
		return 0
	}
	return fold(all)
}

// kiloHertz reads a frequency of which the inventory checked the form.
func kiloHertz(text string) int64 {
	factor := 1e3
	if strings.HasSuffix(text, "GHz") {
		factor = 1e6
	}
	number, _ := strconv.ParseFloat(text[:len(text)-3], 64)
	return int64(number*factor + 0.5)
}

// idle forbids the idle states that take longer to leave than is allowed.
func (p *planner) idle(value string) {
	most, _ := strconv.ParseInt(strings.TrimSuffix(value, "us"), 10, 64)
	deep := map[string]bool{}
	var states []string
	for _, f := range p.look(cpus + "cpu[0-9]*/cpuidle/state[0-9]*/latency") {
		state := path.Base(path.Dir(f.Path))
		if !slices.Contains(states, state) {
			states = append(states, state)
		}
		if n, err := strconv.ParseInt(f.Text, 10, 64); err == nil && n > most {
			deep[state] = true
		}
	}
	if states == nil {
		p.missing("", "the kernel has no idle states to forbid, as in most virtual machines")
		return
	}
	for _, state := range states {
		if deep[state] {
			p.write(cpus+"cpu[0-9]*/cpuidle/"+state+"/disable", "1")
		}
	}
	if len(deep) == 0 {
		p.stands(cpus+"cpu[0-9]*/cpuidle", fmt.Sprintf("no state above %s", value))
	}
}
