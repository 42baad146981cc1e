package script

import (
	"strings"
)

// hints say what mends an error of the interpreter, by a part of its text.
var hints = [...]struct{ part, hint string }{
	{"undefined: ctx", "ctx is the parameter of a step: def measure(ctx): ..., then role.step(measure)"},
	{"frozen", "top-level data is read-only during runs: return results instead"},
	{"referenced before assignment", "a name that is assigned here hides the one outside: give it another name"},
	{"cannot reassign", "give the second one another name"},
	{"support while loops", "use for i in range(n) with break"},
	{"called recursively", "recursion is off: use a loop"},
	{"NoneType", "a variable is None in treatments where it does not exist: test for None first"},
	{"used up its steps", "shorten the loop, or run it as a command on a host"},
	{"used up its memory", "produce large data by a command on a host"},
	{"used up its time", "shorten the loop, or run it as a command on a host"},
	{"too large", "text and lists are bounded: produce large data by a command on a host"},
	{"invalid call of non-function", "is it a name of yours that hides a builtin? give it another name"},
	{"undefined: open", "the controller's files are out of reach: use ctx.read, ctx.put or ctx.get in a step"},
	{"undefined: os", "use ctx.run and ctx.sh in a step"},
	{"undefined: subprocess", "use ctx.run and ctx.sh in a step"},
	{"undefined: time", "use ctx.sleep in a step; a command's duration is its .seconds"},
	{"undefined: sleep", "use ctx.sleep in a step"},
	{"undefined: random", "nothing is random here: derive it from ctx.seed in a step"},
	{"undefined: sum", "write a loop: total = 0, then total += x"},
	{"undefined: true", "write True"},
	{"undefined: false", "write False"},
	{"undefined: null", "write None"},
	{"undefined: none", "write None"},
	{"undefined: input", "use flag(name, default) and --flag name=value"},
	{"undefined: round", "use math.round"},
	{"undefined: isinstance", `use type(x) == "int"`},
	{"undefined: Exception", "use ctx.fail(message)"},
}

// Hint returns what mends an error of the interpreter, or "".
func Hint(message string) string {
	for _, h := range hints {
		if !strings.Contains(message, h.part) {
			continue
		}
		// A whole word: "undefined: os" is no hint for "undefined: osd".
		if !strings.HasPrefix(h.part, "undefined: ") || wholeWord(message, h.part) {
			return h.hint
		}
	}
	return ""
}

func wholeWord(message, part string) bool {
	rest := message[strings.Index(message, part)+len(part):]
	return rest == "" || rest[0] == ' ' || rest[0] == ')'
}

// WithHint appends the hint that a message has.
func WithHint(message string) string {
	if hint := Hint(message); hint != "" {
		return message + " (" + hint + ")"
	}
	return message
}

// OneLine makes text fit on one line.
func OneLine(text string) string {
	return strings.ReplaceAll(strings.TrimSpace(text), "\n", "; ")
}
