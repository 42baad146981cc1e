package sshconfig

import (
	"fmt"
	"strings"

	"mpf/engine"
)

// A line is a keyword, in lower case and by its newer name, with its arguments.
// An include carries the lines of the files that it names.
type line struct {
	pos      engine.Pos
	word     string
	written  string // the keyword as it stands there
	args     []string
	included []line
}

// parse splits the content of a file into lines.
func parse(file string, content string) ([]line, error) {
	var lines []line
	for i, text := range strings.Split(content, "\n") {
		l := line{pos: engine.Pos{File: file, Line: i + 1, Col: 1}}
		word, rest := cutWord(strings.TrimSpace(text))
		if word == "" || strings.HasPrefix(word, "#") {
			continue
		}
		args, err := split(rest)
		if err == nil && len(args) == 0 {
			err = fmt.Errorf("no value")
		}
		if err != nil {
			return nil, engine.Mistake{Pos: l.pos, Message: fmt.Sprintf("%q: %v", word, err)}
		}
		l.word, l.written, l.args = strings.ToLower(word), word, args
		if newer, old := aliases[l.word]; old {
			l.word = newer
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// cutWord splits a line at its first blank or equals sign.
func cutWord(text string) (word, rest string) {
	end := strings.IndexAny(text, " \t=")
	if end < 0 {
		return text, ""
	}
	rest = strings.TrimLeft(text[end:], " \t")
	return text[:end], strings.TrimLeft(strings.TrimPrefix(rest, "="), " \t")
}

// split makes arguments of text: parted by blanks, quoted by " or ', ended by a
// # that begins one.
func split(text string) ([]string, error) {
	var args []string
	for i := 0; i < len(text); {
		switch {
		case text[i] == ' ' || text[i] == '\t' || text[i] == '\r':
			i++
		case text[i] == '#':
			return args, nil
		default:
			arg, n, err := argument(text[i:])
			if err != nil {
				return nil, err
			}
			args = append(args, arg)
			i += n
		}
	}
	return args, nil
}

// argument reads one argument and says how long it is in the text.
func argument(text string) (string, int, error) {
	var out strings.Builder
	var quote byte
	i := 0
	for ; i < len(text); i++ {
		c := text[i]
		switch {
		case c == '\\' && i+1 < len(text) && escapable(text[i+1], quote):
			i++
			out.WriteByte(text[i])
		case quote == 0 && (c == ' ' || c == '\t' || c == '\r'):
			return out.String(), i, nil
		case quote == 0 && (c == '"' || c == '\''):
			quote = c
		case quote != 0 && c == quote:
			quote = 0
		default:
			out.WriteByte(c)
		}
	}
	if quote != 0 {
		return "", 0, fmt.Errorf("a quote that is not closed")
	}
	return out.String(), i, nil
}

// escapable reports whether a backslash before c stands for c alone.
func escapable(c, quote byte) bool {
	return c == '\\' || c == '"' || c == '\'' || (c == ' ' && quote == 0)
}
