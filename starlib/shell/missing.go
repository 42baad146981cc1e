package shell

import (
	"regexp"
	"slices"
	"strings"
)

// Missing lists the names that a script expands although they are neither given
// nor set in it, in their order, each once. Names in capitals are left out: they
// may stand in the host's environment, and so are those of proxies.
func Missing(script string, given []string) (missing []string) {
	s := scanner{text: script}
	s.code(0)
	if s.opaque || setsUnseen().MatchString(script) {
		return nil
	}
	for _, name := range s.names {
		known := slices.Contains(given, name) || slices.Contains(missing, name) || strings.HasSuffix(name, "_proxy")
		if !known && name != strings.ToUpper(name) && !mentions(script, name) {
			missing = append(missing, name)
		}
	}
	return missing
}

// setsUnseen matches what may set any name: eval and sourcing a file.
func setsUnseen() *regexp.Regexp {
	return regexp.MustCompile(`(?m)(^|[\s;&|({])(eval|source|\.)\s`)
}

// mentions reports whether a name stands somewhere in a script without a dollar,
// as it does where it is assigned, read or declared.
func mentions(script, name string) bool {
	for _, at := range regexp.MustCompile(`\b`+name+`\b`).FindAllStringIndex(script, -1) {
		before := script[:at[0]]
		if !strings.HasSuffix(before, "$") && !strings.HasSuffix(before, "${") && !strings.HasSuffix(before, "${#") {
			return true
		}
	}
	return false
}

// A scanner walks over a script, quotes and comments included.
type scanner struct {
	text   string
	at     int
	names  []string // expanded where they need a value
	opaque bool     // holds what is not followed: a here-document
}

// code walks over commands until the byte that ends them, or to the end.
func (s *scanner) code(until byte) {
	for s.at < len(s.text) {
		c := s.text[s.at]
		switch {
		case c == until:
			s.at++
			return
		case c == '\'':
			s.skipTo("'")
		case c == '"':
			s.at++
			s.quoted()
		case c == '#' && (s.at == 0 || strings.IndexByte(" \t\n;", s.text[s.at-1]) >= 0):
			s.skipTo("\n")
		case c == '(':
			s.at++
			s.code(')')
		case strings.HasPrefix(s.text[s.at:], "<<"):
			s.opaque = true
			s.at += 2
		default:
			s.other(c)
		}
	}
}

// quoted walks to the end of what stands in double quotes.
func (s *scanner) quoted() {
	for s.at < len(s.text) {
		c := s.text[s.at]
		if c == '"' {
			s.at++
			return
		}
		s.other(c)
	}
}

// other walks over what means the same inside double quotes and outside.
func (s *scanner) other(c byte) {
	switch c {
	case '\\':
		s.at += 2
	case '$':
		s.at++
		s.dollar()
	default:
		s.at++
	}
}

// dollar walks over an expansion.
func (s *scanner) dollar() {
	switch rest := s.text[s.at:]; {
	case strings.HasPrefix(rest, "("):
		s.at++
		s.code(')')
	case strings.HasPrefix(rest, "{"):
		s.at++
		length := strings.HasPrefix(s.text[s.at:], "#")
		if length {
			s.at++
		}
		name := s.name()
		if name != "" && (length || !mayLack(s.text[s.at:])) {
			s.names = append(s.names, name)
		}
	default:
		if name := s.name(); name != "" {
			s.names = append(s.names, name)
		}
	}
}

// mayLack reports whether an expansion says itself what holds without a value,
// as ${name:-default} does.
func mayLack(rest string) bool {
	rest = strings.TrimPrefix(rest, ":")
	return rest == "" || strings.IndexByte("-=+?", rest[0]) >= 0
}

// name walks over a variable's name and returns it.
func (s *scanner) name() string {
	rest := s.text[s.at:]
	n := 0
	for n < len(rest) && (rest[n] == '_' || isLetter(rest[n]) || n > 0 && '0' <= rest[n] && rest[n] <= '9') {
		n++
	}
	s.at += n
	return rest[:n]
}

func isLetter(c byte) bool { return 'a' <= c|0x20 && c|0x20 <= 'z' }

// skipTo walks behind the next occurrence of an end.
func (s *scanner) skipTo(end string) {
	if i := strings.Index(s.text[s.at+1:], end); i >= 0 {
		s.at += 1 + i + len(end)
	} else {
		s.at = len(s.text)
	}
}
