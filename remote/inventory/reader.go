package inventory

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"mpf/engine"
)

// A reader walks the nodes of a cluster file and collects mistakes. Names are
// looked up when all are known, in resolve.
type reader struct {
	file     string
	cluster  *Cluster
	mistakes engine.Mistakes
	uses     []use
	linkEnds []endUse
}

// A use is a place where a host is named.
type use struct {
	node    *yaml.Node
	subject string
}

// An endUse is a place where an interface of a host is named.
type endUse struct {
	node    *yaml.Node
	subject string
	end     End
}

// A field is a key that a mapping may hold, and what reads its value.
type field struct {
	name string
	read func(*yaml.Node)
}

func (r *reader) pos(n *yaml.Node) engine.Pos {
	return engine.Pos{File: r.file, Line: n.Line, Col: n.Column}
}

func (r *reader) mistake(n *yaml.Node, hint, format string, args ...any) {
	r.mistakes = append(r.mistakes, engine.Mistake{Pos: r.pos(n), Message: fmt.Sprintf(format, args...), Hint: hint})
}

// resolved follows an alias to what it stands for.
func resolved(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// entries calls f for each key of a mapping, in the order of the file.
func (r *reader) entries(n *yaml.Node, subject string, f func(key, value *yaml.Node)) {
	n = resolved(n)
	if n.Kind == yaml.ScalarNode && n.Tag == "!!null" {
		return
	}
	if n.Kind != yaml.MappingNode {
		r.mistake(n, "write name: value lines below it", "%s: not a mapping", subject)
		return
	}
	seen := map[string]*yaml.Node{}
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if key.Kind != yaml.ScalarNode {
			r.mistake(key, "", "%s: a key that is not a name", subject)
			continue
		}
		if first, double := seen[key.Value]; double {
			r.mistake(key, "", "%s: %q is there already, at %s", subject, key.Value, r.pos(first))
			continue
		}
		seen[key.Value] = key
		f(key, n.Content[i+1])
	}
}

// fields reads a mapping whose keys are known.
func (r *reader) fields(n *yaml.Node, subject string, known []field) {
	r.entries(n, subject, func(key, value *yaml.Node) {
		for _, f := range known {
			if f.name == key.Value {
				f.read(value)
				return
			}
		}
		names := make([]string, len(known))
		for i, f := range known {
			names[i] = f.name
		}
		r.mistake(key, suggestion(key.Value, names), "%s: unknown key %q", subject, key.Value)
	})
}

// items reads a list of texts; one text alone is a list of one.
func (r *reader) items(n *yaml.Node, subject string) []*yaml.Node {
	n = resolved(n)
	if n.Kind == yaml.ScalarNode && n.Tag != "!!null" {
		return []*yaml.Node{n}
	}
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		r.mistake(n, "write a list: [one, two]", "%s: not a list of names", subject)
		return nil
	}
	var items []*yaml.Node
	for _, item := range n.Content {
		if item = resolved(item); r.text(item, subject) != "" {
			items = append(items, item)
		}
	}
	return items
}

func (r *reader) texts(n *yaml.Node, subject string) []string {
	var texts []string
	for _, item := range r.items(n, subject) {
		texts = append(texts, item.Value)
	}
	return texts
}

// text reads a scalar that is not empty, as it is written.
func (r *reader) text(n *yaml.Node, subject string) string {
	n = resolved(n)
	if n.Kind != yaml.ScalarNode || n.Tag == "!!null" || n.Value == "" {
		r.mistake(n, "", "%s: not a text", subject)
		return ""
	}
	if i := strings.IndexFunc(n.Value, func(c rune) bool { return c < ' ' || c == 0x7f }); i >= 0 {
		r.mistake(n, "", "%s: %q holds a control character", subject, n.Value)
		return ""
	}
	return n.Value
}

func (r *reader) truth(n *yaml.Node, subject string) bool {
	n = resolved(n)
	if n.Kind != yaml.ScalarNode || n.Tag != "!!bool" {
		r.mistake(n, "write true or false", "%s: not true or false", subject)
		return false
	}
	return strings.EqualFold(n.Value, "true")
}

func (r *reader) oneOf(n *yaml.Node, subject string, values ...string) string {
	text := r.text(n, subject)
	if text != "" && !slices.Contains(values, text) {
		hint := suggestion(text, values)
		if hint == "" {
			hint = "one of " + strings.Join(values, ", ")
		}
		r.mistake(n, hint, "%s: no such value %q", subject, text)
	}
	return text
}

func (r *reader) matching(n *yaml.Node, subject string, pattern *regexp.Regexp, example string) string {
	text := r.text(n, subject)
	if text != "" && !pattern.MatchString(text) {
		r.mistake(n, fmt.Sprintf("write it like %q", example), "%s: %q cannot be read", subject, text)
	}
	return text
}

// namePattern is what hosts, roles, links and groups may be called.
var namePattern = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]{0,62}$`)

func (r *reader) name(key *yaml.Node, kind string) {
	if !namePattern.MatchString(key.Value) {
		r.mistake(key, "use letters, digits and . _ -", "%s %q: not a name", kind, key.Value)
	}
}

func (r *reader) noDoubles(n *yaml.Node, subject string) {
	seen := map[string]bool{}
	for _, item := range resolved(n).Content {
		if item.Kind == yaml.ScalarNode && seen[item.Value] {
			r.mistake(item, "", "%s: %s is named twice", subject, strconv.Quote(item.Value))
		}
		seen[item.Value] = true
	}
}
