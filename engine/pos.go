package engine

import (
	"fmt"
	"sort"
	"strings"
)

// Pos is a place in an experiment file. Line and Col count from 1; the zero Pos
// is no place.
type Pos struct {
	File string
	Line int
	Col  int
}

// IsValid reports whether p names a place.
func (p Pos) IsValid() bool { return p.Line > 0 }

func (p Pos) String() string {
	if !p.IsValid() {
		return p.File
	}
	return fmt.Sprintf("%s:%d:%d", p.File, p.Line, p.Col)
}

// A Mistake is one thing that is wrong with an experiment, at the place where
// it is written, with the edit that mends it.
type Mistake struct {
	Pos     Pos
	Message string // `variable "scheduler": "variant" has no level "mptpc"`
	Hint    string // the mending edit, or empty
}

func (m Mistake) Error() string {
	text := m.Message
	if m.Pos.IsValid() {
		text = m.Pos.String() + ": " + text
	}
	if m.Hint != "" {
		text += " (" + m.Hint + ")"
	}
	return text
}

// Mistakes are all that is wrong with an experiment, as an error.
type Mistakes []Mistake

func (ms Mistakes) Error() string {
	lines := make([]string, len(ms))
	for i, m := range ms {
		lines[i] = m.Error()
	}
	return strings.Join(lines, "\n")
}

// Err returns ms sorted by position, or nil if there are none.
func (ms Mistakes) Err() error {
	if len(ms) == 0 {
		return nil
	}
	sort.SliceStable(ms, func(i, j int) bool { return before(ms[i].Pos, ms[j].Pos) })
	return ms
}

func before(a, b Pos) bool {
	if a.File != b.File {
		return a.File < b.File
	}
	if a.Line != b.Line {
		return a.Line < b.Line
	}
	return a.Col < b.Col
}
