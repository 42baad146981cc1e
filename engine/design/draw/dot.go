package draw

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"mpf/engine"
	"mpf/engine/space"
)

// maxLabels is how many levels the label of an edge lists.
const maxLabels = 6

// DOT writes the diagram of a space for Graphviz: a box for each node with its
// variable and the number of treatments below it, an arrow for the levels that
// lead from one to another.
func DOT(w io.Writer, s *space.Space) error {
	out := bufio.NewWriter(w)
	fmt.Fprintln(out, "digraph design {\n\trankdir=LR\n\tnode [shape=box]")
	seen := map[space.Node]bool{}
	var visit func(n space.Node)
	visit = func(n space.Node) {
		if seen[n] {
			return
		}
		seen[n] = true
		dotNode(out, s, n)
		if s.Ends(n) {
			return
		}
		children, labels := arrows(s, n)
		for i, child := range children {
			fmt.Fprintf(out, "\tn%d -> n%d [label=%s]\n", n, child, quote(labels[i]))
			visit(child)
		}
	}
	visit(s.Root())
	fmt.Fprintln(out, "}")
	return out.Flush()
}

func dotNode(w io.Writer, s *space.Space, n space.Node) {
	if s.Ends(n) {
		fmt.Fprintf(w, "\tn%d [label=\"\" shape=point]\n", n)
		return
	}
	name := s.Variables()[s.Variable(n)].Name
	fmt.Fprintf(w, "\tn%d [label=%s]\n", n, quote(fmt.Sprintf("%s\n%v", name, s.BigBelow(n))))
}

// arrows joins the edges of a node that lead to the same one.
func arrows(s *space.Space, n space.Node) (children []space.Node, labels []string) {
	vars := s.Variables()
	count := map[space.Node]int{}
	at := map[space.Node]int{}
	for _, e := range s.EdgesOf(n) {
		i, ok := at[e.Child]
		if !ok {
			i = len(children)
			at[e.Child] = i
			children, labels = append(children, e.Child), append(labels, "")
		}
		label := absent
		if e.Level != engine.Absent {
			label = engine.Shown(vars[s.Variable(n)].Levels[e.Level].Label)
		}
		count[e.Child]++
		switch {
		case count[e.Child] == 1:
			labels[i] = label
		case count[e.Child] <= maxLabels:
			labels[i] += ", " + label
		}
	}
	for i, child := range children {
		if more := count[child] - maxLabels; more > 0 {
			labels[i] += fmt.Sprintf(" and %d more", more)
		}
	}
	return children, labels
}

// quote writes a string of DOT, which knows two escapes.
func quote(text string) string {
	text = strings.ToValidUTF8(text, "?")
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "\n", `\n`).Replace(text) + `"`
}
