package deploy

import (
	"path"
	"strings"
)

// ignoreFiles hold patterns in the manner of git, for their folder and those
// below it.
var ignoreFiles = [...]string{".gitignore", ".mpfignore"}

// A pattern is one line of an ignore file.
type pattern struct {
	base     string // folder of the file, "" is the root
	parts    []string
	negated  bool
	folders  bool // matches folders only
	anchored bool // to base; otherwise at any depth below it
}

// parseIgnore reads the lines of an ignore file that lies in base.
func parseIgnore(base, content string) []pattern {
	var patterns []pattern
	for _, line := range strings.Split(content, "\n") {
		line = trimBlanks(strings.TrimSuffix(line, "\r"))
		if line == "" || line[0] == '#' {
			continue
		}
		p := pattern{base: base}
		if line[0] == '!' {
			p.negated, line = true, line[1:]
		} else if strings.HasPrefix(line, `\#`) || strings.HasPrefix(line, `\!`) {
			line = line[1:]
		}
		if trimmed := strings.TrimSuffix(line, "/"); trimmed != line {
			p.folders, line = true, trimmed
		}
		p.anchored = strings.Contains(line, "/")
		if line = strings.TrimPrefix(line, "/"); line != "" {
			p.parts = strings.Split(line, "/")
			patterns = append(patterns, p)
		}
	}
	return patterns
}

// trimBlanks removes blanks at the end that no backslash protects.
func trimBlanks(line string) string {
	for strings.HasSuffix(line, " ") && !strings.HasSuffix(line, `\ `) {
		line = line[:len(line)-1]
	}
	return line
}

// matches reports whether the pattern is about a path, both relative to the
// root of the source.
func (p pattern) matches(name string, folder bool) bool {
	if p.folders && !folder {
		return false
	}
	if p.base != "" {
		below, ok := strings.CutPrefix(name, p.base+"/")
		if !ok {
			return false
		}
		name = below
	}
	if !p.anchored {
		return matchPart(p.parts[0], path.Base(name))
	}
	return matchParts(p.parts, strings.Split(name, "/"))
}

// matchParts matches folder by folder; ** stands for any number of them, at the
// end for at least one.
func matchParts(parts, names []string) bool {
	for len(parts) > 0 {
		if parts[0] == "**" {
			if len(parts) == 1 {
				return len(names) > 0
			}
			for i := range names {
				if matchParts(parts[1:], names[i:]) {
					return true
				}
			}
			return false
		}
		if len(names) == 0 || !matchPart(parts[0], names[0]) {
			return false
		}
		parts, names = parts[1:], names[1:]
	}
	return len(names) == 0
}

// matchPart matches one name. git writes the complement of a class with an
// exclamation mark.
func matchPart(pattern, name string) bool {
	ok, err := path.Match(strings.ReplaceAll(pattern, "[!", "[^"), name)
	return err == nil && ok
}

// ignored decides by the last pattern that matches.
func ignored(patterns []pattern, name string, folder bool) bool {
	for i := len(patterns) - 1; i >= 0; i-- {
		if patterns[i].matches(name, folder) {
			return !patterns[i].negated
		}
	}
	return false
}
