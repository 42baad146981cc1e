package grid

import (
	"strings"
	"unicode"

	"golang.org/x/text/width"
)

// Width is how many cells of a terminal a text takes.
func Width(text string) (cells int) {
	for _, r := range text {
		cells += cellsOf(r)
	}
	return cells
}

func cellsOf(r rune) int {
	switch {
	case r < 0x300: // most texts have nothing else
		return 1
	case unicode.In(r, unicode.Mn, unicode.Me, unicode.Cf):
		return 0
	}
	switch width.LookupRune(r).Kind() {
	case width.EastAsianWide, width.EastAsianFullwidth:
		return 2
	}
	return 1
}

// Clip cuts a text to so many cells. What is cut ends with an ellipsis.
func Clip(text string, cells int) string {
	if Width(text) <= cells {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if cells -= cellsOf(r); cells < 1 {
			break
		}
		b.WriteRune(r)
	}
	return b.String() + "…"
}
