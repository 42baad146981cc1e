package space

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"mpf/engine"
)

// An asker asks one exclusion and remembers the answers. The last of its
// variables is the one that loses levels.
type asker struct {
	engine.Exclusion
	vars   []engine.Variable
	last   int   // the variable that comes last in the order, or Absent if it names none
	others []int // the other variables, each once
	fold   int   // the layer after which the others, and whether last is present, are known
	asked  int
	hits   int // questions that were answered yes
	memory map[string]*answers
	key    []byte
	values []engine.Value
}

// answers are what is known for one assignment of the other variables.
type answers struct {
	outcome map[int]bool      // whether an outcome of the last variable is excluded
	folded  map[uint32]uint32 // set before -> set after, or nothing
}

const nothing = ^uint32(0) // no outcome is left

func (c *compiler) newAsker(x engine.Exclusion) *asker {
	a := &asker{Exclusion: x, vars: c.rules.Variables, last: engine.Absent, fold: -1, memory: map[string]*answers{}}
	seen := map[int]bool{}
	for _, v := range x.Variables {
		if a.last == engine.Absent || c.layer[v] > c.layer[a.last] {
			a.last = v
		}
	}
	for _, v := range x.Variables {
		if v != a.last && !seen[v] {
			seen[v] = true
			a.others = append(a.others, v)
			a.fold = max(a.fold, c.layer[v])
		}
	}
	if a.last != engine.Absent {
		for _, when := range a.vars[a.last].When {
			a.fold = max(a.fold, c.layer[when.Variable])
		}
	}
	return a
}

// restrict returns the set that the exclusion leaves of the set id of its last
// variable, given the levels of the others.
func (a *asker) restrict(c *compiler, t engine.Treatment, id uint32) (uint32, error) {
	a.key = a.key[:0]
	for _, v := range a.others {
		a.key = binary.LittleEndian.AppendUint32(a.key, uint32(t[v]+1))
	}
	known := a.memory[string(a.key)]
	if known == nil {
		known = &answers{outcome: map[int]bool{}, folded: map[uint32]uint32{}}
		a.memory[string(a.key)] = known
	}
	after, ok := known.folded[id]
	if ok {
		return after, nil
	}
	after, err := a.fresh(c, t, id, known)
	known.folded[id] = after
	return after, err
}

func (a *asker) fresh(c *compiler, t engine.Treatment, id uint32, known *answers) (uint32, error) {
	d := c.domains[a.last]
	left := make([]uint64, (d.levels+63)/64)
	var failed error
	absent := false
	d.each(id, func(level int) bool {
		out, ok := known.outcome[level]
		if !ok {
			t[a.last] = level
			out, failed = a.ask(c, t)
			known.outcome[level] = out
		}
		if !out && level != engine.Absent {
			left[level/64] |= 1 << (level % 64)
		}
		absent = absent || !out && level == engine.Absent
		return failed == nil
	})
	if absent {
		return gone, failed
	}
	after, ok := d.intern(left)
	if !ok {
		after = nothing
	}
	return after, failed
}

// ask calls the exclusion for a treatment of which its variables are set.
func (a *asker) ask(c *compiler, t engine.Treatment) (bool, error) {
	if a.asked++; a.asked > c.limits.asked {
		return false, a.tooOften()
	}
	if c.asked++; c.asked > c.limits.askedAll {
		return false, a.tooOften()
	}
	a.values = a.values[:0]
	for _, v := range a.Variables {
		a.values = append(a.values, t.Value(a.vars, v))
	}
	out, err := a.Excludes(a.values)
	var mistake engine.Mistake
	switch {
	case errors.As(err, &mistake):
		return false, engine.Mistakes{mistake}
	case err != nil:
		return false, engine.Mistakes{{Pos: a.Pos, Message: fmt.Sprintf("exclude: with %s: %s", a.words(t), err)}}
	}
	if out {
		a.hits++
	}
	return out, nil
}

func (a *asker) tooOften() error {
	return a.tooMuch(fmt.Sprintf("asked %d times and not done", a.asked-1),
		"name fewer variables in it, part it into several exclude, or say it with when or linked")
}

// tooWide is the mistake where an exclusion keeps too many combinations apart,
// with the other rules or without them.
func (a *asker) tooWide(c *compiler, set int) error {
	hint := "name fewer variables in it, part it into several exclude, or say it with when or linked"
	if len(a.others) == 1 {
		hint = "let the rules tie fewer variables together, or say them with when or linked"
	}
	if c.rules.Declared {
		hint += `; without order = "declared" a smaller diagram may be found`
	}
	return a.tooMuch(fmt.Sprintf("asked %d times, and with %d of its %d variables set the diagram of the space has more than %d edges",
		a.asked, set, len(a.others)+1, c.limits.edges), hint)
}

func (a *asker) tooMuch(cost, hint string) error {
	return engine.Mistakes{{Pos: a.Pos, Hint: hint,
		Message: fmt.Sprintf("exclude over %s: up to %s combinations: %s", a.names(), a.size(), cost)}}
}

func (a *asker) names() string {
	var names []string
	for _, v := range a.Variables {
		names = append(names, fmt.Sprintf("%q", a.vars[v].Name))
	}
	return strings.Join(names, ", ")
}

func (a *asker) words(t engine.Treatment) string {
	var words []string
	for _, v := range a.Variables {
		label := "none"
		if t[v] != engine.Absent {
			label = t.Label(a.vars, v)
		}
		words = append(words, a.vars[v].Name+"="+label)
	}
	return strings.Join(words, " ")
}

// size says how many combinations the variables have, absence included.
func (a *asker) size() string {
	size := big.NewInt(1)
	for _, v := range append([]int{a.last}, a.others...) {
		outcomes := len(a.vars[v].Levels)
		if len(a.vars[v].When) > 0 {
			outcomes++
		}
		size.Mul(size, big.NewInt(int64(outcomes)))
	}
	return size.String()
}
