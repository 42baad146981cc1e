package translate

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// An oldFile is a cluster file of the Python program. Rest is what is not known.
type oldFile struct {
	Global     map[string]any `yaml:"global"`
	Machines   []oldMachine   `yaml:"machines"`
	Controller map[string]any `yaml:"controller"`
	Rest       map[string]any `yaml:",inline"`
}

type oldMachine struct {
	Hostname   string         `yaml:"hostname"`
	User       string         `yaml:"user"`
	Roles      oldWords       `yaml:"role"`
	Interfaces []oldInterface `yaml:"interfaces"`
	Namespaces []oldNamespace `yaml:"namespaces"`
	CPUs       oldWords       `yaml:"cpu_id"`
	Rest       map[string]any `yaml:",inline"`
}

type oldNamespace struct {
	Namespace  string         `yaml:"namespace"`
	Roles      oldWords       `yaml:"role"`
	CPUs       oldWords       `yaml:"cpu_id"`
	Interfaces []oldInterface `yaml:"interfaces"`
	Rest       map[string]any `yaml:",inline"`
}

type oldInterface struct {
	Name      string         `yaml:"name"`
	IP        string         `yaml:"ip"`
	Link      string         `yaml:"link"`
	Direction string         `yaml:"direction"`
	Rest      map[string]any `yaml:",inline"`
}

// oldWords are a list of words, or one alone.
type oldWords []string

// UnmarshalYAML reads a scalar or a list of them.
func (w *oldWords) UnmarshalYAML(n *yaml.Node) error {
	items := []*yaml.Node{n}
	if n.Kind == yaml.SequenceNode {
		items = n.Content
	}
	for _, item := range items {
		if item.Kind != yaml.ScalarNode {
			return fmt.Errorf("line %d: want a word or a list of words", item.Line)
		}
		if item.Tag != "!!null" {
			*w = append(*w, item.Value)
		}
	}
	return nil
}

// unknown lists keys that have no counterpart, as notes.
func unknown(subject string, rest map[string]any) (notes []string) {
	for _, key := range slices.Sorted(maps.Keys(rest)) {
		notes = append(notes, strings.TrimSpace(subject+" "+key)+": has no counterpart")
	}
	return notes
}
