package partial

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"mpf/engine"
	"mpf/engine/order"
	"mpf/engine/space"
)

// A Choice is part of a space: treatments sorted as their ranks are.
type Choice struct {
	Method     string
	Treatments []engine.Treatment
	Coverage   Coverage

	space *space.Space
}

// A method chooses treatments. Most is the largest number that it takes on.
type method struct {
	names  []string // the first is its own
	most   int64
	choose func(*chooser) error
}

func methods() []method {
	return []method{
		{[]string{"random"}, 1 << 20, (*chooser).random},
		{[]string{"latin", "lhs", "latin hypercube"}, 1 << 14, (*chooser).hypercube},
		{[]string{"pairwise"}, 1 << 14, (*chooser).pairwise},
		{[]string{"maximin", "space-filling"}, 1 << 12, (*chooser).maximin},
		{[]string{"wsp"}, 1 << 10, (*chooser).wsp},
	}
}

// Methods lists the names of the methods.
func Methods() (names []string) {
	for _, m := range methods() {
		names = append(names, m.names[0])
	}
	return names
}

// A chooser is a choice in the making.
type chooser struct {
	space  *space.Space
	vars   []engine.Variable
	asked  engine.Partial
	seed   int64
	n      int
	lots   *order.Random
	chosen []engine.Treatment
}

// Choose takes the part of a space that p asks for. What the user can mend
// comes back as engine.Mistakes.
func Choose(s *space.Space, p engine.Partial, seed int64) (*Choice, error) {
	m, err := find(p)
	if err != nil {
		return nil, err
	}
	c := &chooser{space: s, vars: s.Variables(), asked: p, seed: seed, n: int(p.N),
		lots: order.NewRandom(order.KeyOf("mpf-partial-1 "+m.names[0], uint64(seed)))}
	if err := c.check(m); err != nil {
		return nil, err
	}
	if err := m.choose(c); err != nil {
		return nil, err
	}
	slices.SortFunc(c.chosen, s.Compare)
	return &Choice{Method: m.names[0], Treatments: c.chosen, Coverage: cover(s, c.chosen), space: s}, nil
}

func find(p engine.Partial) (method, error) {
	for _, m := range methods() {
		if slices.Contains(m.names, p.Method) {
			return m, nil
		}
	}
	return method{}, engine.Mistakes{{Pos: p.Pos, Message: fmt.Sprintf("sample: no method %q", p.Method),
		Hint: "one of " + strings.Join(Methods(), ", ")}}
}

func (c *chooser) check(m method) error {
	count, _ := c.space.Count()
	switch {
	case count == 0:
		return c.mistake("the space has no treatment", "")
	case c.asked.N < 0 || c.asked.N == 0 && m.names[0] != "pairwise":
		return c.mistake(fmt.Sprintf("asks for %d treatments", c.asked.N), "give the number: sample(100, ...)")
	case c.asked.N > m.most:
		return c.mistake(fmt.Sprintf("%q chooses %d treatments at most, not %d", m.names[0], m.most, c.asked.N), "")
	case uint64(c.asked.N) > count:
		return c.mistake(fmt.Sprintf("asks for %d treatments of %d", c.asked.N, count), "take sample out: the whole space is smaller")
	}
	return nil
}

func (c *chooser) mistake(what, hint string) error {
	return engine.Mistakes{{Pos: c.asked.Pos, Message: "sample: " + what, Hint: hint}}
}

// Rank returns the index of a treatment; ok is false if it was not chosen.
func (c *Choice) Rank(t engine.Treatment) (rank uint64, ok bool) {
	if len(t) != len(c.space.Variables()) {
		return 0, false
	}
	i, ok := slices.BinarySearchFunc(c.Treatments, t, c.space.Compare)
	return uint64(i), ok
}

// exhausts reports whether all treatments are asked for, and chooses them.
func (c *chooser) exhausts() bool {
	count, _ := c.space.Count()
	if count == math.MaxUint64 || uint64(c.n) != count {
		return false
	}
	for k := range count {
		c.take(c.kth(k))
	}
	return true
}

func (c *chooser) take(t engine.Treatment) { c.chosen = append(c.chosen, t) }

func (c *chooser) kth(k uint64) engine.Treatment {
	t := make(engine.Treatment, len(c.vars))
	c.space.Kth(k, t)
	return t
}
