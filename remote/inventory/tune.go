package inventory

import (
	"regexp"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// settings reads what to tune.
func (r *reader) settings(n *yaml.Node) []Setting {
	var all []Setting
	var fields []field
	for _, k := range knobs {
		fields = append(fields, field{k.name, func(n *yaml.Node) { all = append(all, r.setting(n, k)) }})
	}
	fields = append(fields, field{"sysctl", func(n *yaml.Node) { all = append(all, r.sysctls(n)...) }})
	r.fields(n, "tune", fields)
	return all
}

// setting reads a value, or one in a mapping that says more of it.
func (r *reader) setting(n *yaml.Node, k knob) Setting {
	s := Setting{Name: k.name, Pos: r.pos(n)}
	if resolved(n).Kind != yaml.MappingNode {
		s.Value = r.knobValue(n, k)
		return s
	}
	said := false
	r.fields(n, k.name, []field{
		{"value", func(n *yaml.Node) { said, s.Value = true, r.knobValue(n, k) }},
		{"optional", func(n *yaml.Node) { s.Optional = r.truth(n, k.name) }},
	})
	if !said {
		r.mistake(n, "add value: to it", "%s: no value", k.name)
	}
	return s
}

func (r *reader) knobValue(n *yaml.Node, k knob) string {
	if k.values != nil {
		return r.oneOf(n, k.name, k.values...)
	}
	if k.name == IRQCPUs {
		return r.cpus(n, k.name)
	}
	return r.matching(n, k.name, k.pattern, k.example)
}

// sysctls reads a mapping from names of the kernel to values.
func (r *reader) sysctls(n *yaml.Node) []Setting {
	var all []Setting
	r.entries(n, "sysctl", func(key, value *yaml.Node) {
		if !sysctlName.MatchString(key.Value) || strings.Contains(key.Value, "..") {
			r.mistake(key, `write it like "vm.swappiness"`, "sysctl: %q is no name of one", key.Value)
			return
		}
		all = append(all, r.setting(value, knob{name: key.Value, pattern: sysctlValue, example: "1"}))
	})
	return all
}

var (
	sysctlName  = regexp.MustCompile(`^[a-z0-9_]+([./][A-Za-z0-9_@:-]+)+$`)
	sysctlValue = regexp.MustCompile(`^[ -~\t]{1,200}$`)
)

// A knob is a setting that has a name of mpf's.
type knob struct {
	name    string
	values  []string // or else
	pattern *regexp.Regexp
	example string
}

// The names of knobs.
const (
	SMT           = "smt"
	Turbo         = "turbo"
	Governor      = "governor"
	FrequencyMax  = "frequency_max"
	FrequencyMin  = "frequency_min"
	IdleLatency   = "idle_latency"
	IRQBalance    = "irqbalance"
	IRQCPUs       = "irq_cpus"
	HugePages     = "huge_pages"
	Swappiness    = "swappiness"
	ASLR          = "aslr"
	Watchdog      = "watchdog"
	NUMABalancing = "numa_balancing"
)

var (
	onOff     = []string{"on", "off"}
	frequency = regexp.MustCompile(`^[0-9]{1,6}(\.[0-9]{1,6})?[MG]Hz$`)
	latency   = regexp.MustCompile(`^[0-9]{1,6}us$`)
	percents  = regexp.MustCompile(`^(1?[0-9]{1,2}|200)$`)
)

// knobs are in the order in which they are turned: which processors there are
// comes before how they run.
var knobs = []knob{
	{name: SMT, values: onOff},
	{name: Turbo, values: onOff},
	{name: Governor, values: []string{"performance", "powersave", "schedutil", "ondemand", "conservative"}},
	{name: FrequencyMax, pattern: frequency, example: "2.4GHz"},
	{name: FrequencyMin, pattern: frequency, example: "800MHz"},
	{name: IdleLatency, pattern: latency, example: "10us"},
	{name: IRQBalance, values: []string{"off"}},
	{name: IRQCPUs},
	{name: HugePages, values: []string{"always", "madvise", "never"}},
	{name: Swappiness, pattern: percents, example: "10"},
	{name: ASLR, values: onOff},
	{name: Watchdog, values: onOff},
	{name: NUMABalancing, values: onOff},
}

// InOrder sorts settings by when they are to be made; sysctls come last.
func InOrder(settings []Setting) []Setting {
	place := func(s Setting) int {
		if i := slices.IndexFunc(knobs, func(k knob) bool { return k.name == s.Name }); i >= 0 {
			return i
		}
		return len(knobs)
	}
	sorted := slices.Clone(settings)
	slices.SortStableFunc(sorted, func(a, b Setting) int { return place(a) - place(b) })
	return sorted
}
