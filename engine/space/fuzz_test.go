package space

import (
	"math/rand/v2"
	"testing"

	"mpf/engine"
)

// FuzzCompile makes declarations of bytes, sound ones and others: compiling
// them ends, and what it makes equals the slow way where that is fast enough.
func FuzzCompile(f *testing.F) {
	f.Add([]byte{})
	f.Add([]byte{3, 2, 2, 2, 1, 1, 0, 1, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		r := declared(data)
		s, err := Compile(r)
		if err != nil {
			return
		}
		outcomes := 1
		for _, v := range r.Variables {
			outcomes = min(outcomes*(len(v.Levels)+1), 1<<20)
		}
		if outcomes <= 1<<12 {
			all := sorted(listed(r), s.Order())
			sameSpace(t, s, all)
			sameBalances(t, s, all)
			sameRestricted(t, rand.New(rand.NewPCG(1, uint64(len(data)))), s, all)
			return
		}
		checkFar(t, s)
	})
}

// checkFar looks at the ends of a space that is too large to list.
func checkFar(t *testing.T, s *Space) {
	count, ok := s.Count()
	if !ok || count == 0 {
		return
	}
	treatment := make(engine.Treatment, len(s.Variables()))
	for _, k := range []uint64{0, count / 3, count - 1} {
		s.Kth(k, treatment)
		if rank, ok := s.Rank(treatment); !ok || rank != k {
			t.Errorf("rank of treatment %d is %d, %v", k, rank, ok)
		}
	}
}

// A reader takes numbers from bytes, and zeros from their end on.
type reader struct{ data []byte }

func (r *reader) below(n int) int {
	if len(r.data) == 0 || n <= 0 {
		return 0
	}
	b := int(r.data[0])
	r.data = r.data[1:]
	return b % n
}

// declared makes rules of bytes. Indices may lie one outside of what there is.
func declared(data []byte) (r Rules) {
	in := &reader{data}
	n := in.below(12)
	for range n {
		v := engine.Variable{Levels: make([]engine.Level, in.below(9))}
		for i := range v.Levels {
			v.Levels[i].Value = int64(i)
		}
		if in.below(3) == 0 {
			c := engine.Condition{Variable: in.below(n+2) - 1}
			for range in.below(4) {
				c.Levels = append(c.Levels, in.below(9))
			}
			v.When = append(v.When, c)
		}
		r.Variables = append(r.Variables, v)
	}
	for range in.below(3) {
		r.Links = append(r.Links, declaredLink(in, n))
	}
	for range in.below(4) {
		x := engine.Exclusion{}
		for range in.below(5) {
			x.Variables = append(x.Variables, in.below(n+1))
		}
		modulus := int64(in.below(5) + 1)
		x.Excludes = func(values []engine.Value) (bool, error) {
			sum := int64(0)
			for _, v := range values {
				if level, ok := v.(int64); ok {
					sum = sum*3 + level + 1
				}
			}
			return sum%modulus == 1, nil
		}
		r.Exclusions = append(r.Exclusions, x)
	}
	r.Declared = in.below(2) == 0
	if n > 0 && in.below(2) == 0 {
		r.First = []int{in.below(n)}
	}
	return r
}

func declaredLink(in *reader, n int) (link engine.Linked) {
	for range 1 + in.below(3) {
		link.Variables = append(link.Variables, in.below(n+1))
	}
	for range in.below(5) {
		var row []int
		for range link.Variables {
			row = append(row, in.below(5))
		}
		link.Rows = append(link.Rows, row)
	}
	return link
}
