package design

import (
	"bytes"
	"fmt"

	"mpf/engine"
)

// A translator carries treatments over from the variables of another plan:
// variables by name, levels by label and value.
type translator struct {
	from, to []engine.Variable
	variable []int   // index in to of each variable of from, or Absent
	level    [][]int // likewise of each of its levels
}

func newTranslator(from, to []engine.Variable) *translator {
	tr := &translator{from: from, to: to}
	for _, old := range from {
		at := engine.Absent
		levels := make([]int, len(old.Levels))
		for i, v := range to {
			if v.Name == old.Name {
				at = i
			}
		}
		for i, l := range old.Levels {
			levels[i] = engine.Absent
			if at != engine.Absent {
				levels[i] = levelLike(to[at], l)
			}
		}
		tr.variable, tr.level = append(tr.variable, at), append(tr.level, levels)
	}
	return tr
}

// levelLike returns the level of v that identity does not tell from l, or
// Absent.
func levelLike(v engine.Variable, l engine.Level) int {
	for i, other := range v.Levels {
		if other.Label == l.Label && sameValue(other, l) {
			return i
		}
	}
	return engine.Absent
}

func sameValue(a, b engine.Level) bool {
	return bytes.Equal(engine.AppendCanonical(nil, a.Value, a.Label), engine.AppendCanonical(nil, b.Value, b.Label))
}

// translate returns the treatment in the variables of to, or why it cannot be
// had there.
func (tr *translator) translate(t engine.Treatment) (to engine.Treatment, why string) {
	to = make(engine.Treatment, len(tr.to))
	for i := range to {
		to[i] = engine.Absent
	}
	for i, level := range t {
		if level == engine.Absent {
			continue
		}
		switch {
		case tr.variable[i] == engine.Absent:
			return nil, fmt.Sprintf("variable %q is gone", tr.from[i].Name)
		case tr.level[i][level] == engine.Absent:
			return nil, fmt.Sprintf("variable %q has no level %q any more", tr.from[i].Name, tr.from[i].Levels[level].Label)
		}
		to[tr.variable[i]] = tr.level[i][level]
	}
	return to, ""
}
