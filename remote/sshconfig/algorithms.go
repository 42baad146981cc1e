package sshconfig

import (
	"fmt"
	"slices"
	"strings"

	"mpf/engine"
)

// Algorithms is a list of algorithms as the configuration has it: names and
// patterns, behind + beside the usual ones, behind ^ before them, behind - taken
// from them. The zero value leaves the usual ones.
type Algorithms struct {
	Text string
	Word string // whose value it is, as ssh_config(5) writes it
	Pos  engine.Pos
}

// Of makes the list one of those that there are. Names that are not among them
// are passed over, unless nothing is left.
func (a Algorithms) Of(usual, all []string) ([]string, error) {
	if a.Text == "" {
		return usual, nil
	}
	named := within(a.Text, all)
	switch a.Text[0] {
	case '+':
		named = union(usual, within(a.Text[1:], all))
	case '^':
		named = union(within(a.Text[1:], all), usual)
	case '-':
		named = without(a.Text[1:], usual)
	}
	if len(named) == 0 {
		return nil, engine.Mistake{Pos: a.Pos, Message: fmt.Sprintf("%s %q: leaves none that mpf has", a.Word, a.Text),
			Hint: "let the list name one of these that the server has too: " + strings.Join(usual, ", ")}
	}
	return named, nil
}

// Located says of an error where the list is that it is about.
func (a Algorithms) Located(err error) error {
	if a.Text == "" {
		return err
	}
	return fmt.Errorf("%s: %s %q: %w", a.Pos, a.Word, a.Text, err)
}

// within lists what matches the patterns, in their order.
func within(patterns string, all []string) []string {
	var found []string
	for _, p := range strings.Split(patterns, ",") {
		found = union(found, slices.DeleteFunc(slices.Clone(all), func(name string) bool { return !matchPattern(p, name) }))
	}
	return found
}

// without lists what matches no pattern.
func without(patterns string, all []string) []string {
	gone := within(patterns, all)
	return slices.DeleteFunc(slices.Clone(all), func(name string) bool { return slices.Contains(gone, name) })
}

// union is a and then what b has besides.
func union(a, b []string) []string {
	all := slices.Clone(a)
	for _, name := range b {
		if !slices.Contains(all, name) {
			all = append(all, name)
		}
	}
	return all
}
