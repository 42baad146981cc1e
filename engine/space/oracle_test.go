package space

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"mpf/engine"
)

// listed is the slow way: every product of outcomes, each checked against the
// declarations.
func listed(r Rules) (all []engine.Treatment) {
	t := make(engine.Treatment, len(r.Variables))
	var set func(i int)
	set = func(i int) {
		if i == len(t) {
			if allowed(r, t) {
				all = append(all, slices.Clone(t))
			}
			return
		}
		for level := engine.Absent; level < len(r.Variables[i].Levels); level++ {
			t[i] = level
			set(i + 1)
		}
	}
	set(0)
	return all
}

func allowed(r Rules, t engine.Treatment) bool {
	for i, v := range r.Variables {
		exists := true
		for _, c := range v.When {
			exists = exists && slices.Contains(c.Levels, t[c.Variable])
		}
		if exists != (t[i] != engine.Absent) {
			return false
		}
	}
	for _, link := range r.Links {
		if !agrees(link, t) {
			return false
		}
	}
	for _, x := range r.Exclusions {
		values := make([]engine.Value, len(x.Variables))
		for i, v := range x.Variables {
			values[i] = t.Value(r.Variables, v)
		}
		if out, _ := x.Excludes(values); out {
			return false
		}
	}
	return true
}

func agrees(link engine.Linked, t engine.Treatment) bool {
	for _, row := range link.Rows {
		ok := true
		for i, v := range link.Variables {
			ok = ok && (t[v] == engine.Absent || t[v] == row[i])
		}
		if ok {
			return true
		}
	}
	return false
}

// invent makes up small rules: conditions on any other variable but no cycles,
// links, exclusions over none to four variables.
func invent(random *rand.Rand) Rules {
	var r Rules
	n := random.IntN(8)
	rank := random.Perm(n) // a variable may hang on those of lower rank
	for i := range n {
		v := engine.Variable{Name: fmt.Sprintf("v%d", i)}
		for level := range 1 + random.IntN(3) + random.IntN(2) {
			v.Levels = append(v.Levels, engine.Level{Label: fmt.Sprint(level), Value: int64(level)})
		}
		r.Variables = append(r.Variables, v)
	}
	for i := range n {
		for j := range n {
			if rank[j] < rank[i] && random.IntN(6) == 0 {
				r.Variables[i].When = append(r.Variables[i].When, inventCondition(random, r, j))
			}
		}
	}
	for range random.IntN(3) {
		if n > 0 {
			r.Links = append(r.Links, inventLink(random, r))
		}
	}
	for range random.IntN(4) {
		r.Exclusions = append(r.Exclusions, inventExclusion(random, n))
	}
	for i := range n {
		if random.IntN(5) == 0 {
			r.First = append(r.First, i)
		}
	}
	r.Declared = random.IntN(2) == 0
	return r
}

func inventCondition(random *rand.Rand, r Rules, j int) engine.Condition {
	c := engine.Condition{Variable: j}
	for level := range r.Variables[j].Levels {
		if random.IntN(3) > 0 {
			c.Levels = append(c.Levels, level)
		}
	}
	return c
}

func inventLink(random *rand.Rand, r Rules) engine.Linked {
	link := engine.Linked{Variables: random.Perm(len(r.Variables))[:1+random.IntN(min(3, len(r.Variables)))]}
	for range 1 + random.IntN(9) {
		var row []int
		for _, v := range link.Variables {
			row = append(row, random.IntN(len(r.Variables[v].Levels)))
		}
		link.Rows = append(link.Rows, row)
	}
	return link
}

func inventExclusion(random *rand.Rand, n int) engine.Exclusion {
	salt := random.Uint64()
	density := uint64(1 + random.IntN(6))
	return engine.Exclusion{
		Variables: random.Perm(n)[:random.IntN(min(4, n)+1)],
		Excludes: func(values []engine.Value) (bool, error) {
			h := salt
			for _, v := range values {
				x := uint64(99)
				if v != nil {
					x = uint64(v.(int64))
				}
				h = (h ^ x) * 0x9e3779b97f4a7c15
				h ^= h >> 29
			}
			return h%16 < density, nil
		},
	}
}

func sorted(all []engine.Treatment, order []int) []engine.Treatment {
	slices.SortFunc(all, func(a, b engine.Treatment) int {
		for _, v := range order {
			if a[v] != b[v] {
				return a[v] - b[v]
			}
		}
		return 0
	})
	return all
}

// A space and the slow way agree on everything.
func TestSpaceEqualsOracle(t *testing.T) {
	for seed := range uint64(4000) {
		random := rand.New(rand.NewPCG(seed, 1))
		rules := invent(random)
		s, err := Compile(rules)
		if err != nil {
			t.Fatalf("seed %d: %v", seed, err)
		}
		all := sorted(listed(rules), s.Order())
		if !sameSpace(t, s, all) || !sameBalances(t, s, all) || !sameRestricted(t, random, s, all) {
			t.Fatalf("seed %d", seed)
		}
	}
}

func sameSpace(t *testing.T, s *Space, all []engine.Treatment) bool {
	count, ok := s.Count()
	if !ok || count != uint64(len(all)) {
		t.Errorf("count %d, want %d", count, len(all))
		return false
	}
	got := make(engine.Treatment, len(s.Variables()))
	for k, want := range all {
		s.Kth(uint64(k), got)
		rank, ok := s.Rank(want)
		if !slices.Equal(got, want) || !ok || rank != uint64(k) || !s.Contains(want) {
			t.Errorf("treatment %d is %v, want %v of rank %d %v", k, got, want, rank, ok)
			return false
		}
	}
	return true
}

func sameBalances(t *testing.T, s *Space, all []engine.Treatment) bool {
	for v, b := range s.Balances() {
		for level := engine.Absent; level < len(b.Levels); level++ {
			want := int64(0)
			for _, treatment := range all {
				if treatment[v] == level {
					want++
				}
			}
			got := b.Absent
			if level != engine.Absent {
				got = b.Levels[level]
			}
			if got.Int64() != want {
				t.Errorf("variable %d has level %d %v times, want %d", v, level, got, want)
				return false
			}
		}
	}
	return true
}

func sameRestricted(t *testing.T, random *rand.Rand, s *Space, all []engine.Treatment) bool {
	only := make([][]bool, len(s.Variables()))
	for v := range only {
		if random.IntN(3) == 0 {
			only[v] = make([]bool, len(s.Variables()[v].Levels))
			for level := range only[v] {
				only[v][level] = random.IntN(2) == 0
			}
		}
	}
	left := slices.DeleteFunc(slices.Clone(all), func(treatment engine.Treatment) bool {
		for v, keep := range only {
			if keep != nil && (treatment[v] == engine.Absent || !keep[treatment[v]]) {
				return true
			}
		}
		return false
	})
	return sameSpace(t, s.Restrict(only), left)
}
