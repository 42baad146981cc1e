package main

import (
	"fmt"
	"strings"

	"mpf/engine"
)

// toolPrefix begins the names of facts that are versions of programs. One that a
// host does not have is empty.
const toolPrefix = "tool_"

// toolWords lists the programs that were asked for by name, each with what it
// says of its version.
func toolWords(facts map[string]engine.Value) []string {
	var words []string
	for _, name := range sorted(facts) {
		tool, named := strings.CutPrefix(name, toolPrefix)
		switch version, _ := facts[name].(string); {
		case named && version == "":
			words = append(words, fmt.Sprintf("%s: not there", tool))
		case named:
			words = append(words, fmt.Sprintf("%s: %q", tool, version))
		}
	}
	return words
}

// cameLater reports whether a fact is the version of a program that was not there
// when it was asked for, as before its deployment: no row was measured with
// another one.
func cameLater(name string, before any) bool {
	return strings.HasPrefix(name, toolPrefix) && before == ""
}

// learn takes in the versions of programs that came to a host after it was
// reached.
func (s *surroundings) learn(host string, now map[string]engine.Value) {
	s.lock.Lock()
	defer s.lock.Unlock()
	i := s.find(host)
	if i < 0 {
		return
	}
	for name, version := range now {
		if cameLater(name, s.hosts[i].Facts[name]) {
			s.hosts[i].Facts[name] = version
		}
	}
}
