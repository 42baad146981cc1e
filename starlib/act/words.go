package act

import (
	"errors"
	"fmt"
	"regexp"
	"strings"

	"go.starlark.net/starlark"

	"mpf/engine"
	"mpf/starlib/script"
)

// words makes the words of a command of a script's values: None vanishes and
// the items of a list are words of their own.
func words(values []starlark.Value) ([]string, error) {
	argv := make([]string, 0, len(values))
	for i, v := range values {
		if list, ok := asList(v); ok {
			for j := range list.Len() {
				var err error
				if argv, err = appendWord(argv, list.Index(j)); err != nil {
					return nil, fmt.Errorf("word %d, item %d: %w", i+1, j+1, err)
				}
			}
			continue
		}
		var err error
		if argv, err = appendWord(argv, v); err != nil {
			return nil, fmt.Errorf("word %d: %w", i+1, err)
		}
	}
	if len(argv) == 0 || argv[0] == "" {
		return nil, errors.New("there is no program: the first word names it")
	}
	return argv, nil
}

func asList(v starlark.Value) (starlark.Indexable, bool) {
	switch v := v.(type) {
	case *starlark.List:
		return v, true
	case starlark.Tuple:
		return v, true
	}
	return nil, false
}

func appendWord(argv []string, v starlark.Value) ([]string, error) {
	if v == starlark.None {
		return argv, nil
	}
	text, err := textOf(v)
	return append(argv, text), err
}

// A Named value stands for a part of the cluster, such as a role.
type Named interface {
	starlark.Value
	RoleName() string
}

// textOf is the text of a scalar as a program gets it.
func textOf(v starlark.Value) (string, error) {
	switch v := v.(type) {
	case starlark.String:
		if strings.ContainsRune(string(v), 0) {
			return "", errors.New("text holds a NUL byte")
		}
		return string(v), nil
	case starlark.Int:
		return v.String(), nil
	case starlark.Float:
		return engine.FormatFloat(float64(v)), nil
	case starlark.Bool:
		return "", script.Problemf("got %s: programs understand bools differently", v).
			Mend(`write the word itself, as in variable("x", {"off": None, "on": "-x"})`)
	case Named:
		return "", script.Problemf("got role %q", v.RoleName()).Mend("write ctx.addr(role) for its address")
	}
	return "", fmt.Errorf("got %s, want string, int, float, None or a list of these", v.Type())
}

// isVariableName reports whether a shell takes a name for a variable's.
func isVariableName(name string) bool {
	return regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`).MatchString(name)
}

// environment makes NAME=value words; a None leaves its name out.
func environment(items []starlark.Tuple) ([]string, error) {
	env := make([]string, 0, len(items))
	for _, item := range items {
		name, ok := starlark.AsString(item[0])
		if !ok || !isVariableName(name) {
			return nil, fmt.Errorf("environment variable %s: names are written with a-z, A-Z, 0-9 and _, with no digit first", item[0])
		}
		if item[1] == starlark.None {
			continue
		}
		if _, list := asList(item[1]); list {
			return nil, script.Problemf("environment variable %q: got a list", name).Mend(`join it: " ".join(words)`)
		}
		text, err := textOf(item[1])
		if err != nil {
			return nil, fmt.Errorf("environment variable %q: %w", name, err)
		}
		env = append(env, name+"="+text)
	}
	return env, nil
}
