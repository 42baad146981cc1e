package tune

import (
	"fmt"
	"slices"
	"strings"

	"mpf/engine"
	"mpf/remote/inventory"
)

// A Change is a declared change of a host and what came of it, for the record.
type Change struct {
	Name    string `json:"name"`
	Where   string `json:"where,omitempty"` // the files, or the command
	Before  string `json:"before"`
	After   string `json:"after"`             // read back
	End     string `json:"end,omitempty"`     // what it was at the end, where somebody had changed it
	Missing string `json:"missing,omitempty"` // why it was not made, where it is optional
}

// missed records what is missing where it is optional; the rest are mistakes of
// the cluster file.
func missed(host string, missing []Missing) ([]Change, error) {
	var changes []Change
	var mistakes engine.Mistakes
	for _, m := range missing {
		if m.Origin.Optional {
			changes = append(changes, Change{Name: m.Origin.Name, Missing: m.What})
			continue
		}
		mistakes = append(mistakes, m.mistake(host))
	}
	return changes, mistakes.Err()
}

func (m Missing) mistake(host string) engine.Mistake {
	what, hint := m.Origin.Name, m.Hint
	ofNetwork := strings.Contains(what, " ") // a link, or an interface
	if !ofNetwork {
		what = "tune: " + what
	}
	switch {
	case hint != "":
	case ofNetwork:
		hint = "take it out of the cluster file"
	default:
		hint = fmt.Sprintf("take it out, or measure without it where it is missing: {value: %s, optional: true}", m.Origin.Value)
	}
	return engine.Mistake{Pos: m.Origin.Pos, Hint: hint, Message: fmt.Sprintf("host %q: %s %s: %s", host, what, m.Origin.Value, m.What)}
}

// refusal explains what the host said to a step.
func (s Step) refusal(said string) Missing {
	m := Missing{Origin: s.Origin, What: said}
	tool, low := "", strings.ToLower(said)
	if len(s.Do) > 0 {
		tool = s.Do[0]
	}
	switch {
	case tool == "tc" && strings.Contains(said, "qdisc kind is unknown"):
		return s.noModule()
	case tool != "" && strings.Contains(low, "not found"):
		m.Hint = fmt.Sprintf("install %q on the host", tool)
	case strings.Contains(low, "permission denied"), strings.Contains(low, "not permitted"):
		m.Hint = "add become: root to the host, or reach it as root"
	}
	return m
}

// same compares values as the kernel reads them.
func same(a, b string) bool { return slices.Equal(strings.Fields(a), strings.Fields(b)) }

// merged joins the changes of one setting, as those of many interrupts.
func merged(changes []Change) []Change {
	var all []Change
	for _, c := range changes {
		last := len(all) - 1
		if last < 0 || all[last].Name != c.Name || all[last].Missing != "" || strings.Contains(c.Name, " ") {
			all = append(all, c)
			continue
		}
		first, _, _ := strings.Cut(all[last].Where, " ")
		all[last].Where = first + " and others"
		all[last].Before, all[last].After = both(all[last].Before, c.Before), both(all[last].After, c.After)
	}
	return all
}

// both joins values, each once.
func both(list, value string) string {
	if list == "" || list == value {
		return value
	}
	if slices.Contains(strings.Split(list, ", "), value) {
		return list
	}
	return list + ", " + value
}

// interfaceOf finds an interface by its name; the inventory checked that it is
// there.
func interfaceOf(all []inventory.Interface, name string) inventory.Interface {
	for _, i := range all {
		if i.Name == name {
			return i
		}
	}
	return inventory.Interface{Name: name}
}
