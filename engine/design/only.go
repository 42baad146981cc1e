package design

import (
	"fmt"
	"slices"
	"strings"

	"mpf/engine"
)

// parseOnly reads words like "variant=tcp,parallel=1,2": which levels of which
// variables to keep. Labels may hold commas: the longest label that fits wins.
func parseOnly(vars []engine.Variable, words []string) ([][]bool, error) {
	keep := make([][]bool, len(vars))
	for _, word := range words {
		v := -1
		for rest := word; rest != ""; {
			name, after, named := strings.Cut(rest, "=")
			if i := slices.IndexFunc(vars, func(v engine.Variable) bool { return v.Name == name }); named && i >= 0 {
				v, rest = i, after
			} else if v < 0 {
				return nil, unknownVariable(vars, word, name)
			}
			level, length := longestLabel(vars[v], rest)
			if level < 0 {
				return nil, unknownLevel(vars[v], word, rest)
			}
			if keep[v] == nil {
				keep[v] = make([]bool, len(vars[v].Levels))
			}
			keep[v][level] = true
			rest = strings.TrimPrefix(rest[length:], ",")
		}
	}
	return keep, nil
}

// longestLabel returns the level whose label text starts with, up to a comma or
// its end, or -1.
func longestLabel(v engine.Variable, text string) (level, length int) {
	level = -1
	for i, l := range v.Levels {
		after, ok := strings.CutPrefix(text, l.Label)
		if ok && (after == "" || after[0] == ',') && (level < 0 || len(l.Label) > length) {
			level, length = i, len(l.Label)
		}
	}
	return level, length
}

func unknownVariable(vars []engine.Variable, word, name string) error {
	var names []string
	for _, v := range vars {
		names = append(names, v.Name)
	}
	return engine.Mistake{Message: fmt.Sprintf("--only %q: no variable %q", word, name), Hint: oneOf(names)}
}

func unknownLevel(v engine.Variable, word, text string) error {
	label, _, _ := strings.Cut(text, ",")
	return engine.Mistake{Message: fmt.Sprintf("--only %q: %q has no level %q", word, v.Name, label), Hint: oneOf(labelsOf(v))}
}

// oneOf lists what could have been given, the first few of it.
func oneOf(choices []string) string {
	const most = 8
	if len(choices) == 0 {
		return "there are none"
	}
	if len(choices) > most {
		return fmt.Sprintf("one of %s and %d more", strings.Join(choices[:most], ", "), len(choices)-most)
	}
	return "one of " + strings.Join(choices, ", ")
}
