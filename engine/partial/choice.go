package partial

import (
	"fmt"
	"slices"

	"mpf/engine"
	"mpf/engine/order"
	"mpf/engine/space"
)

// A Choice is part of a space: treatments sorted as their ranks are.
type Choice struct {
	Method     string
	Treatments []engine.Treatment

	space *space.Space
}

// Choose takes the part of a space that p asks for.
func Choose(s *space.Space, p engine.Partial, seed int64) (*Choice, error) {
	c := &Choice{Method: p.Method, space: s}
	n, ok := s.Count()
	if !ok || p.N < 0 || uint64(p.N) > n {
		return nil, engine.Mistakes{{Pos: p.Pos, Message: fmt.Sprintf("sample: %d treatments of %d", p.N, n)}}
	}
	drawn := order.New(n, order.KeyOf("mpf-partial-1", uint64(seed)))
	for i := range uint64(p.N) {
		t := make(engine.Treatment, len(s.Variables()))
		s.Kth(drawn.At(i), t)
		c.Treatments = append(c.Treatments, t)
	}
	slices.SortFunc(c.Treatments, s.Compare)
	return c, nil
}

// Rank returns the index of a treatment.
func (c *Choice) Rank(t engine.Treatment) (rank uint64, ok bool) {
	i, ok := slices.BinarySearchFunc(c.Treatments, t, c.space.Compare)
	return uint64(i), ok
}
