package sshconfig

import (
	"path/filepath"
	"strings"
)

// matchPatterns reports whether one pattern matches and no negated one does.
func matchPatterns(patterns []string, name string) bool {
	matched := false
	for _, p := range patterns {
		if negated := strings.TrimPrefix(p, "!"); negated != p {
			if matchPattern(negated, name) {
				return false
			}
		} else if matchPattern(p, name) {
			matched = true
		}
	}
	return matched
}

// matchList does so for patterns with commas between them.
func matchList(patterns, name string) bool { return matchPatterns(strings.Split(patterns, ","), name) }

// matchHost does so whatever the case of the letters.
func matchHost(patterns, name string) bool {
	return matchList(strings.ToLower(patterns), strings.ToLower(name))
}

// bracketless makes [ and \, which are letters to OpenSSH, letters to
// filepath.Match; and / too, which it keeps apart.
var bracketless = strings.NewReplacer(`[`, `\[`, `]`, `\]`, `\`, `\\`, `/`, "\x01")

func matchPattern(pattern, name string) bool {
	ok, err := filepath.Match(bracketless.Replace(pattern), strings.ReplaceAll(name, "/", "\x01"))
	return err == nil && ok
}
