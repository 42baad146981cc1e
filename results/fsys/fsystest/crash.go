package fsystest

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// Crash returns what is left after a loss of power where all is lost that was
// not synced. It ends the use of m.
func (m *Memory) Crash() *Memory { return m.end(never{}) }

// CrashPartly returns what is left after a loss of power where chance decides of
// each name and each page that was not synced, and may tear a page. A rename
// happened at both its ends or at neither. It ends the use of m.
func (m *Memory) CrashPartly(random *rand.Rand) *Memory { return m.end(chance{random}) }

// Kill returns what is left after the death of the process, and ends the use
// of m.
func (m *Memory) Kill() *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gone = true
	return m.with(m.root.copy(map[*node]*node{}))
}

func (m *Memory) end(luck luck) *Memory {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.gone = true
	l := loss{luck: luck, tied: map[*node]*node{}, kept: map[*node]bool{}, seen: map[*node]*node{}}
	l.tie(m.root, map[*node]bool{})
	root := l.left(m.root)
	root.links++
	return m.with(root)
}

func (m *Memory) with(root *node) *Memory { return &Memory{Now: m.Now, root: root, nodes: m.nodes} }

// copy copies what can be read. A node with two names stays one.
func (n *node) copy(seen map[*node]*node) *node {
	if c := seen[n]; c != nil {
		return c
	}
	c := &node{
		number: n.number, links: n.links, mode: n.mode, modified: n.modified, target: n.target,
		data: slices.Clone(n.data), synced: slices.Clone(n.synced), stamp: n.stamp, dirty: slices.Clone(n.dirty),
	}
	seen[n] = c
	if n.isDir() {
		c.entries, c.durable = map[string]*node{}, map[string]*node{}
		for name, e := range n.entries {
			c.entries[name] = e.copy(seen)
		}
		for name, e := range n.durable {
			c.durable[name] = e.copy(seen)
		}
		if n.home.in != nil {
			c.home = slot{n.home.in.copy(seen), n.home.name}
		}
	}
	return c
}

// A loss makes what is left of a tree. What of it was not synced is a matter of
// luck, but a node is moved as a whole, and with it what lay in its way.
type loss struct {
	luck luck
	tied map[*node]*node // to another one with the same luck
	kept map[*node]bool
	seen map[*node]*node
}

// tie gives one luck to a node and to what it replaced where that was moved.
func (l *loss) tie(n *node, seen map[*node]bool) {
	if seen[n] {
		return
	}
	seen[n] = true
	for _, name := range n.names() {
		was, is := n.durable[name], n.entries[name]
		if was != nil && is != nil && was != is && was.links > 0 && l.first(was) != l.first(is) {
			l.tied[l.first(was)] = l.first(is)
		}
		for _, e := range []*node{was, is} {
			if e != nil {
				l.tie(e, seen)
			}
		}
	}
}

func (l *loss) first(n *node) *node {
	for l.tied[n] != nil {
		n = l.tied[n]
	}
	return n
}

// names lists the names there are and were.
func (n *node) names() []string {
	all := maps.Clone(n.durable)
	maps.Copy(all, n.entries)
	return slices.Sorted(maps.Keys(all))
}

// entry returns what a name leads to in the end.
func (l *loss) entry(was, is *node) *node {
	if was == is {
		return is
	}
	moved := is
	if is == nil {
		moved = was
	}
	moved = l.first(moved)
	if _, drawn := l.kept[moved]; !drawn {
		l.kept[moved] = l.luck.keeps()
	}
	if l.kept[moved] {
		return is
	}
	return was
}

func (l *loss) left(n *node) *node {
	if c := l.seen[n]; c != nil {
		return c
	}
	data := l.luck.data(n)
	c := &node{
		number: n.number, mode: n.mode, modified: n.stamp, stamp: n.stamp, target: n.target, data: data, synced: slices.Clone(data),
	}
	l.seen[n] = c
	if !n.isDir() {
		return c
	}
	c.entries, c.durable = map[string]*node{}, map[string]*node{}
	for _, name := range n.names() {
		if e := l.entry(n.durable[name], n.entries[name]); e != nil {
			c.put(name, l.left(e))
		}
	}
	c.syncNames()
	return c
}
