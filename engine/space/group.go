package space

import (
	"encoding/binary"
	"maps"
	"slices"

	"mpf/engine"
)

// A group follows a link through the layers: which of its rows agree with the
// variables that are set. Rows that differ only in variables that are set count
// as one, so equal ids mean equal futures.
type group struct {
	engine.Linked
	layer []int // of each of its variables
	first int   // the layer of the variable that is set first
	final int   // and of the one set last
	sets  [][]int
	ids   map[string]uint32
	moves map[move]map[int]uint32
	same  map[int][]int // by variable: for each row, the first that goes on like it
}

// A move sets a variable while a set of rows is left.
type move struct {
	set      uint32
	variable int
}

func (c *compiler) newGroup(link engine.Linked) *group {
	g := &group{Linked: link, first: len(c.order), final: -1,
		ids: map[string]uint32{}, moves: map[move]map[int]uint32{}, same: map[int][]int{}}
	for _, v := range link.Variables {
		g.layer = append(g.layer, c.layer[v])
		g.first = min(g.first, c.layer[v])
		g.final = max(g.final, c.layer[v])
	}
	all := make([]int, len(link.Rows))
	for i := range all {
		all[i] = i
	}
	g.sets = append(g.sets, all)
	return g
}

// set returns the id of the rows that are left once a variable has a level,
// or nothing.
func (g *group) set(id uint32, variable, level int) uint32 {
	m := move{id, variable}
	after, ok := g.moves[m]
	if !ok {
		after = g.split(m)
		g.moves[m] = after
	}
	if id, ok := after[level]; ok {
		return id
	}
	return nothing
}

// split parts a set of rows by the level of a variable. A variable that is
// absent agrees with every row.
func (g *group) split(m move) map[int]uint32 {
	at := slices.Index(g.Variables, m.variable)
	rows := map[int][]int{engine.Absent: g.sets[m.set]}
	for _, row := range g.sets[m.set] {
		level := g.Rows[row][at]
		rows[level] = append(rows[level], row)
	}
	after := map[int]uint32{}
	for _, level := range slices.Sorted(maps.Keys(rows)) {
		after[level] = g.intern(g.project(rows[level], m.variable))
	}
	return after
}

// project keeps one row of those that agree in all variables after this one:
// the first such row of the link, so that equal sets look equal.
func (g *group) project(rows []int, variable int) []int {
	if g.same[variable] == nil {
		g.same[variable] = g.alike(g.layer[slices.Index(g.Variables, variable)])
	}
	left := make([]int, 0, len(rows))
	for _, row := range rows {
		left = append(left, g.same[variable][row])
	}
	slices.Sort(left)
	return slices.Compact(left)
}

// alike finds for each row the first one that has the same levels after a
// layer.
func (g *group) alike(now int) []int {
	firsts := map[string]int{}
	same := make([]int, len(g.Rows))
	for row := range g.Rows {
		var key []byte
		for i, layer := range g.layer {
			if layer > now {
				key = binary.BigEndian.AppendUint32(key, uint32(g.Rows[row][i]))
			}
		}
		if _, ok := firsts[string(key)]; !ok {
			firsts[string(key)] = row
		}
		same[row] = firsts[string(key)]
	}
	return same
}

func (g *group) intern(rows []int) uint32 {
	if len(rows) == 0 {
		return nothing
	}
	var key []byte
	for _, row := range rows {
		key = binary.BigEndian.AppendUint32(key, uint32(row))
	}
	id, ok := g.ids[string(key)]
	if !ok {
		id = uint32(len(g.sets))
		g.sets = append(g.sets, rows)
		g.ids[string(key)] = id
	}
	return id
}
