package code

import (
	"strings"

	"go.starlark.net/syntax"
)

// A habit is a mistake of syntax as it is shown, with the text in which it is
// mended so far that parsing can go on; an empty text ends the parsing.
type habit struct {
	pos           syntax.Position
	message, hint string
	mended        string
}

// statements are words of Python that begin or make a statement.
var statements = [...]struct{ word, message, hint string }{
	{"import", "Starlark has no import", `use load("lib.star", "name"); json, math, re and struct are there`},
	{"from", "Starlark has no import", `use load("lib.star", "name"); json, math, re and struct are there`},
	{"class", "Starlark has no classes", "use struct(field = value) and functions"},
	{"try", "Starlark has no exceptions", "a failed command fails its run; use check = False to look at its .code"},
	{"except", "Starlark has no exceptions", "a failed command fails its run; use check = False to look at its .code"},
	{"finally", "Starlark has no exceptions", "use role.cleanup(fn): it is always executed"},
	{"raise", "Starlark has no exceptions", "use ctx.fail(message) in a step, fail(message) at the top"},
	{"with", "Starlark has no with", "call the function, as in s = ctx.span(name) and s.end()"},
	{"async", "Starlark has no async", "use together(step, step), ctx.start or ctx.barrier"},
	{"await", "Starlark has no await", "use ctx.wait_for, process.wait or ctx.barrier"},
	{"yield", "Starlark has no generators", "return a list"},
	{"global", "functions cannot change names at the top", "return the value"},
	{"nonlocal", "functions cannot change names around them", "return the value"},
	{"del", "Starlark has no del", "use d.pop(key) or list.pop(i)"},
	{"assert", "Starlark has no assert", `write if not x: ctx.fail("why")`},
	{"print", "print is a function", "write print(x)"},
	{"match", "Starlark has no match", "use if, elif and else"},
}

// statement explains the word that begins a line.
func statement(word string) (message, hint string) {
	for _, s := range statements {
		if s.word == word {
			return s.message, s.hint
		}
	}
	return "", ""
}

// habitAt explains a mistake of syntax by the line in which it stands.
func habitAt(text string, pos syntax.Position, message string) habit {
	if strings.Contains(message, "got newline") && pos.Col == 1 && pos.Line > 1 {
		pos.Line-- // the newline ends the line before
		pos.Col = int32(len(lineNumbered(text, int(pos.Line))) + 1)
	}
	h := habit{pos: pos, message: message}
	lines := strings.Split(text, "\n")
	row, col := int(pos.Line)-1, int(pos.Col)-1
	line := lineNumbered(text, int(pos.Line))
	word := firstWord(line)
	known, hint := statement(word)
	switch {
	case strings.HasPrefix(strings.TrimSpace(line), "@"):
		h.explain("Starlark has no decorators", "call role.step(f) after the def")
		h.mended = without(lines, row)
	case fString(line, col) >= 0:
		at := fString(line, col)
		h.pos.Col = int32(at + 1)
		h.explain("Starlark has no f-strings", `write "%s" % x or "{}".format(x)`)
		lines[row] = line[:at] + " " + line[at+1:]
		h.mended = strings.Join(lines, "\n")
	case known != "":
		h.pos.Col = int32(strings.Index(line, word) + 1)
		h.explain(known, hint)
		if !isBlock(line) {
			h.mended = without(lines, row)
		}
	default:
		if open, ok := bracketAt(text, pos, message); ok {
			return open
		}
		h.explainToken(line, message)
	}
	return h
}

func (h *habit) explain(message, hint string) { h.message, h.hint = message, hint }

// tokens are parts of the parser's messages, or of the line, that have a hint.
var tokens = [...]struct{ inMessage, inLine, hint string }{
	{"got '**'", "", "use math.pow(x, y)"},
	{"got is,", "", "write == or !="},
	{"not an identifier", ".await", "use ctx.wait_for(name)"},
	{"not an identifier", "", "the word belongs to the language: choose another"},
	{"got '&'", "&&", "write and"},
	{"got '|'", "||", "write or"},
	{"character '!'", "", "write not"},
	{"got newline", "++", "write x = x + 1"},
	{"", "->", "types are not written: remove the arrow and what follows it"},
	{"got ':', want newline", "", "types are not written: remove the colon and the type"},
	{"got ':', want ')'", ":=", "assign on a line of its own"},
	{"got ':', want ')'", "", "types are not written: remove the colon and the type"},
	{"got indent", "", "begin the line at the left, or as far in as its block"},
	{"inconsistent indentation", "", "indent the lines of a block alike, with blanks"},
	{"unexpected EOF in string", "", `close the string with """`},
	{"unexpected newline in string", "", "close the string on its line"},
	{"excessive nesting", "", "write it in several statements"},
	{"unexpected ')'", "", "remove it: no bracket is open"},
	{"unexpected ']'", "", "remove it: no bracket is open"},
	{"unexpected '}'", "", "remove it: no bracket is open"},
	{"got ')', want ']'", "", "write ] before it"},
	{"got ')', want '}'", "", "write } before it"},
	{"got ']', want ')'", "", "write ) before it"},
	{"got ']', want '}'", "", "write } before it"},
	{"got '}', want ']'", "", "write ] before it"},
	{"got '}', want ')'", "", "write ) before it"},
	{"got newline, want ':'", "", "end the line with a colon"},
	{"want ':'", "", "write a colon between the key and its value"},
	{"want ','", "", "write a comma between the two, or close the bracket"},
	{"want ']'", "", "write a comma between the two, or close the list with ]"},
	{"want ')'", "", "write a comma between the two, or close the bracket with )"},
	{"want '}'", "", "write a comma between the two, or close the dict with }"},
}

func (h *habit) explainToken(line, message string) {
	for _, t := range tokens {
		if strings.Contains(message, t.inMessage) && strings.Contains(line, t.inLine) {
			h.hint = t.hint
			return
		}
	}
}

func firstWord(line string) string {
	line = strings.TrimLeft(line, " \t")
	end := strings.IndexFunc(line, func(r rune) bool { return !('a' <= r && r <= 'z') })
	if end < 0 {
		return line
	}
	if strings.ContainsRune("=(.[", rune(line[end])) {
		return ""
	}
	return line[:end]
}

// fString finds the f of an f-string that begins before col, or -1.
func fString(line string, col int) int {
	for i := min(col, len(line)-1); i >= 0; i-- {
		if (line[i] == 'f' || line[i] == 'F') && i+1 < len(line) && (line[i+1] == '"' || line[i+1] == '\'') &&
			(i == 0 || !isLetter(line[i-1])) {
			return i
		}
	}
	return -1
}

func isLetter(c byte) bool {
	return c == '_' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// isBlock reports whether a line begins a block.
func isBlock(line string) bool {
	code, _, _ := strings.Cut(line, "#")
	return strings.HasSuffix(strings.TrimSpace(code), ":")
}

// without makes a line do nothing, at its indentation.
func without(lines []string, row int) string {
	indent := lines[row][:len(lines[row])-len(strings.TrimLeft(lines[row], " \t"))]
	lines[row] = indent + "pass"
	return strings.Join(lines, "\n")
}
