package engine

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Shown is text as people are shown it: as it stands, and in quotes where it is
// empty or would not stay on its line and in its column.
func Shown(text string) string {
	if text == "" || !utf8.ValidString(text) || strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsPrint(r) }) {
		return strconv.Quote(text)
	}
	return text
}
