package code

import (
	"fmt"
	"strings"

	"go.starlark.net/syntax"
)

// An opening is a bracket that is not closed.
type opening struct {
	bracket   byte
	line, col int // from 1
	indent    int // of its line
}

// openers and closers are the brackets of the language, each with the one that closes it.
const openers, closers = "([{", ")]}"

// unclosed walks over text up to a line and returns the brackets that are open
// where that line begins, the outermost first, and where the code before it
// ends: the offset behind the last byte that is neither blank nor comment.
func unclosed(text string, line int) (open []opening, end int) {
	at, begins := 1, 0
	for i := 0; i < len(text) && at < line; i++ {
		switch c := text[i]; {
		case c == '\n':
			at, begins = at+1, i+1
			continue
		case c == ' ' || c == '\t' || c == '\r':
			continue
		case c == '#':
			i += len(lineOf(text[i:])) - 1
			continue
		case c == '"' || c == '\'':
			length := stringLength(text[i:])
			at += strings.Count(text[i:i+length], "\n")
			i += length - 1
		case strings.IndexByte(openers, c) >= 0:
			open = append(open, opening{c, at, i - begins + 1, indentOf(text[begins:])})
		case strings.IndexByte(closers, c) >= 0 && len(open) > 0:
			open = open[:len(open)-1]
		}
		end = i + 1
	}
	return open, end
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " \t")) }

func lineOf(text string) string {
	line, _, _ := strings.Cut(text, "\n")
	return line
}

// stringLength is how many bytes of text the string takes that it begins with.
func stringLength(text string) int {
	quote := text[:1]
	if strings.HasPrefix(text[1:], quote+quote) {
		quote = text[:3]
	}
	for i := len(quote); i < len(text); i++ {
		switch {
		case text[i] == '\\':
			i++
		case strings.HasPrefix(text[i:], quote):
			return i + len(quote)
		case text[i] == '\n' && len(quote) == 1:
			return i
		}
	}
	return len(text)
}

// bracketAt explains a mistake by a bracket that is not closed on an earlier
// line, which the parser sees only when the next line does not go on.
func bracketAt(text string, pos syntax.Position, message string) (h habit, ok bool) {
	if !strings.Contains(message, "want") && !strings.Contains(message, "without else") {
		return h, false
	}
	open, end := unclosed(text, int(pos.Line))
	if len(open) == 0 {
		return h, false
	}
	goesOn := indentOf(lineNumbered(text, int(pos.Line))) > open[0].indent
	if goesOn && strings.HasPrefix(message, "got ':'") {
		return h, false // a parameter with a type
	}
	last, comma := open[len(open)-1], ""
	if goesOn && len(open) > 1 {
		open, comma = open[len(open)-1:], "," // the line belongs to the outer ones
	}
	ending := closing(open) + comma
	lastLine := 1 + strings.Count(text[:end], "\n")
	h.pos = pos
	h.pos.Line, h.pos.Col = int32(last.line), int32(last.col)
	h.explain(fmt.Sprintf("%q is not closed", string(last.bracket)),
		fmt.Sprintf("write %s at the end of line %d", ending, lastLine))
	h.mended = text[:end] + ending + text[end:]
	return h, true
}

// closing returns what closes the brackets, the innermost first.
func closing(open []opening) string {
	var b strings.Builder
	for i := len(open) - 1; i >= 0; i-- {
		b.WriteByte(closers[strings.IndexByte(openers, open[i].bracket)])
	}
	return b.String()
}

// lineNumbered returns a line of text by its number, from 1; empty behind the end.
func lineNumbered(text string, number int) string {
	lines := strings.Split(text, "\n")
	if number < 1 || number > len(lines) {
		return ""
	}
	return lines[number-1]
}
