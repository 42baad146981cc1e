package draw

import (
	"bufio"
	"fmt"
	"io"
	"math/big"
	"strings"

	"mpf/engine"
	"mpf/engine/space"
)

// Tree writes the treatments of a space as a tree with at most so many lines.
// Levels that go on alike share a branch, and variables that are free of each
// other share a line:
//
//	variant=tcp: 8
//	  parallel=1|2|4|8  zerocopy=off|on
func Tree(w io.Writer, s *space.Space, lines int) error {
	t := &tree{space: s, out: bufio.NewWriter(w), left: lines}
	if s.Ends(s.Root()) {
		fmt.Fprintln(t.out, "one treatment without variables")
	} else {
		t.branch(s.Root(), 0)
	}
	switch {
	case t.omitted == 1:
		fmt.Fprintln(t.out, "and 1 more branch")
	case t.omitted > 1:
		fmt.Fprintf(t.out, "and %d more branches\n", t.omitted)
	}
	return t.out.Flush()
}

type tree struct {
	space   *space.Space
	out     *bufio.Writer
	left    int // lines
	omitted int
}

func (t *tree) line(depth int, format string, args ...any) {
	fmt.Fprintf(t.out, "%s%s\n", strings.Repeat("  ", depth), fmt.Sprintf(format, args...))
	t.left--
}

// branch writes what goes on from a node: on one line as long as there is one
// way on, then a branch for each.
func (t *tree) branch(n space.Node, depth int) {
	var words []string
	for !t.space.Ends(n) {
		children, labels := arrows(t.space, n)
		if len(children) > 1 {
			break
		}
		if !t.absent(n) {
			words = append(words, t.word(n, labels[0]))
		}
		n = children[0]
	}
	if len(words) > 0 {
		t.line(depth, "%s", strings.Join(words, "  "))
		depth++
	}
	if t.space.Ends(n) {
		return
	}
	children, labels := arrows(t.space, n)
	for i, child := range children {
		if t.left <= 0 {
			t.omitted++
			continue
		}
		t.line(depth, "%s: %v", t.word(n, labels[i]), t.below(n, child))
		t.branch(child, depth+1)
	}
}

func (t *tree) word(n space.Node, labels string) string {
	return t.space.Variables()[t.space.Variable(n)].Name + "=" + strings.ReplaceAll(labels, ", ", "|")
}

// absent reports whether the variable of a node has no level there.
func (t *tree) absent(n space.Node) bool {
	edges := t.space.EdgesOf(n)
	return len(edges) == 1 && edges[0].Level == engine.Absent
}

// below counts the treatments that go on from a node to one of its children.
func (t *tree) below(n, child space.Node) *big.Int {
	ways := int64(0)
	for _, e := range t.space.EdgesOf(n) {
		if e.Child == child {
			ways++
		}
	}
	return new(big.Int).Mul(t.space.BigBelow(child), big.NewInt(ways))
}
