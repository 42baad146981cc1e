package engine

import (
	"strings"
)

// Absent stands in a Treatment for a variable whose condition does not hold.
const Absent = -1

// A Treatment is one full assignment: for each variable of the experiment, in
// declaration order, the index of its level, or Absent.
type Treatment []int

// Value returns the value of the i-th variable of vars, nil where it is absent.
func (t Treatment) Value(vars []Variable, i int) Value {
	if t[i] == Absent {
		return nil
	}
	return vars[i].Levels[t[i]].Value
}

// Label returns the label of the i-th variable of vars, "" where it is absent.
func (t Treatment) Label(vars []Variable, i int) string {
	if t[i] == Absent {
		return ""
	}
	return vars[i].Levels[t[i]].Label
}

// Format prints t as `name=label` words in declaration order, absent variables
// left out. Labels are shown as Shown writes them.
func (t Treatment) Format(vars []Variable) string {
	words := make([]string, 0, len(vars))
	for i, v := range vars {
		if t[i] != Absent {
			words = append(words, v.Name+"="+Shown(t.Label(vars, i)))
		}
	}
	return strings.Join(words, " ")
}
