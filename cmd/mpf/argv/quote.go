// Package argv writes words of a command line as a shell takes them: what mpf
// shows as a command can be given as it is shown.
//
// It deliberately reads nothing: the shell does.
package argv

import (
	"strings"
	"unicode"
)

// Quote returns a word as a shell takes it.
func Quote(word string) string {
	plain := func(r rune) bool {
		return r == '_' || unicode.IsLetter(r) || unicode.IsDigit(r) || strings.ContainsRune("-./=,:+%@", r)
	}
	if word != "" && strings.TrimFunc(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
