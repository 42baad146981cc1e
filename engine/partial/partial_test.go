package partial

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/engine/space"
)

// rules makes variables of the sizes given, whose levels are numbers.
func rules(sizes ...int) (r space.Rules) {
	for i, size := range sizes {
		v := engine.Variable{Name: fmt.Sprintf("v%d", i)}
		for level := range size {
			v.Levels = append(v.Levels, engine.Level{Label: fmt.Sprint(level), Value: int64(level)})
		}
		r.Variables = append(r.Variables, v)
	}
	return r
}

// conditional has a hierarchy three deep and an exclusion.
func conditional() space.Rules {
	r := rules(2, 3, 2, 4, 3)
	r.Variables[1].When = []engine.Condition{{Variable: 0, Levels: []int{1}}}
	r.Variables[2].When = []engine.Condition{{Variable: 1, Levels: []int{0, 2}}}
	r.Exclusions = []engine.Exclusion{{Variables: []int{0, 3}, Excludes: func(values []engine.Value) (bool, error) {
		return values[0] == int64(1) && values[1].(int64) > 1, nil
	}}}
	return r
}

func compile(t testing.TB, r space.Rules) *space.Space {
	t.Helper()
	s, err := space.Compile(r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func choose(t testing.TB, s *space.Space, method string, n int64) *Choice {
	t.Helper()
	c, err := Choose(s, engine.Partial{N: n, Method: method}, 42)
	if err != nil {
		t.Fatalf("%s of %d: %v", method, n, err)
	}
	return c
}

// Whatever the method and the number, the treatments are different, in the
// space, sorted, found again, and the same the next time.
func TestChoicesAreWhatWasAskedFor(t *testing.T) {
	for name, r := range map[string]space.Rules{"plain": rules(3, 4, 5), "conditional": conditional(), "one": rules(7), "none": rules()} {
		s := compile(t, r)
		count, _ := s.Count()
		for _, method := range []string{"random", "latin", "maximin", "wsp"} {
			for n := int64(1); n <= int64(count); n++ {
				c := choose(t, s, method, n)
				if len(c.Treatments) != int(n) || c.Coverage.Treatments != int(n) {
					t.Fatalf("%s %s: %d treatments, want %d", name, method, len(c.Treatments), n)
				}
				checkChoice(t, s, c)
				if n%7 == 1 && fmt.Sprint(choose(t, s, method, n).Treatments) != fmt.Sprint(c.Treatments) {
					t.Fatalf("%s %s: another choice the second time", name, method)
				}
			}
		}
		checkChoice(t, s, choose(t, s, "pairwise", 0))
	}
}

func checkChoice(t *testing.T, s *space.Space, c *Choice) {
	t.Helper()
	for i, treatment := range c.Treatments {
		if !s.Contains(treatment) {
			t.Fatalf("%s: %v is not in the space", c.Method, treatment)
		}
		if i > 0 && s.Compare(c.Treatments[i-1], treatment) >= 0 {
			t.Fatalf("%s: %v before %v", c.Method, c.Treatments[i-1], treatment)
		}
		if rank, ok := c.Rank(treatment); !ok || rank != uint64(i) {
			t.Fatalf("%s: rank of %v is %d", c.Method, treatment, rank)
		}
	}
}

// Every pair that some treatment of the space has, some treatment of a pairwise
// choice has; the count that it gives of them is right; and so is that of any
// other method.
func TestPairwiseCoversEveryPairThatCanOccur(t *testing.T) {
	for seed := range uint64(80) {
		random := rand.New(rand.NewPCG(seed, 2))
		s := compile(t, invent(random))
		count, _ := s.Count()
		if count == 0 {
			continue
		}
		var all []engine.Treatment
		for k := range count {
			treatment := make(engine.Treatment, len(s.Variables()))
			s.Kth(k, treatment)
			all = append(all, treatment)
		}
		can := pairsOf(all)
		c := choose(t, s, "pairwise", 0)
		checkChoice(t, s, c)
		if got := pairsOf(c.Treatments); len(got) != len(can) {
			t.Fatalf("seed %d: %d pairs of %d", seed, len(got), len(can))
		}
		if c.Coverage.Pairs != len(can) || c.Coverage.PairsOf != len(can) || c.Coverage.Bound > len(c.Treatments) ||
			c.Coverage.Levels != c.Coverage.LevelsOf {
			t.Fatalf("seed %d: %+v, want %d pairs", seed, c.Coverage, len(can))
		}
		some := choose(t, s, "latin", int64(1+count/3))
		if some.Coverage.Pairs != len(pairsOf(some.Treatments)) || some.Coverage.PairsOf != len(can) {
			t.Fatalf("seed %d: %+v, want %d of %d pairs", seed, some.Coverage, len(pairsOf(some.Treatments)), len(can))
		}
	}
}

func pairsOf(all []engine.Treatment) map[[4]int]bool {
	pairs := map[[4]int]bool{}
	for _, t := range all {
		for i := range t {
			for j := range i {
				if t[i] != engine.Absent && t[j] != engine.Absent {
					pairs[[4]int{j, t[j], i, t[i]}] = true
				}
			}
		}
	}
	return pairs
}

// invent makes up a small space with conditions and exclusions.
func invent(random *rand.Rand) space.Rules {
	var sizes []int
	for range 1 + random.IntN(6) {
		sizes = append(sizes, 1+random.IntN(4))
	}
	r := rules(sizes...)
	for i := 1; i < len(sizes); i++ {
		if random.IntN(3) == 0 {
			r.Variables[i].When = []engine.Condition{{Variable: random.IntN(i), Levels: []int{0}}}
		}
	}
	for range random.IntN(3) {
		salt := random.Uint64()
		r.Exclusions = append(r.Exclusions, engine.Exclusion{
			Variables: random.Perm(len(sizes))[:min(len(sizes), 2)],
			Excludes: func(values []engine.Value) (bool, error) {
				h := salt
				for _, c := range fmt.Sprint(values) {
					h = (h ^ uint64(c)) * 0x100000001b3
				}
				return h>>20%3 == 0, nil
			}})
	}
	return r
}

// The sizes of covering arrays are near the best that are known.
func TestPairwiseIsSmall(t *testing.T) {
	for _, c := range []struct {
		sizes []int
		most  int // the best known is in the comment
	}{
		{[]int{3, 3, 3, 3}, 11},                    // 9
		{[]int{4, 4, 4, 4, 4}, 22},                 // 16
		{[]int{2, 2, 2, 2, 2, 2, 2, 2, 2, 2}, 9},   // 6
		{slices.Repeat([]int{3}, 13), 22},          // 15
		{slices.Repeat([]int{4}, 10), 32},          // 24
		{[]int{10, 8, 3, 3, 3, 2, 2, 2, 2, 2}, 84}, // 80
	} {
		got := choose(t, compile(t, rules(c.sizes...)), "pairwise", 0)
		t.Logf("%v: %d treatments, at least %d", c.sizes, len(got.Treatments), got.Coverage.Bound)
		if len(got.Treatments) > c.most || got.Coverage.Pairs != got.Coverage.PairsOf {
			t.Errorf("%v: %d treatments, want %d at most", c.sizes, len(got.Treatments), c.most)
		}
	}
}

// Each level occurs equally often, give or take one; two where that would have
// been a treatment twice.
func TestHypercubeUsesLevelsEquallyOften(t *testing.T) {
	s := compile(t, rules(5, 4, 10, 2))
	for n := int64(1); n <= 100; n++ {
		c := choose(t, s, "latin", n)
		if c.Coverage.Uneven > 2 {
			t.Errorf("%d treatments: %s", n, strings.Join(c.Coverage.Lines(), "; "))
		}
	}
	s = compile(t, rules(slices.Repeat([]int{10}, 12)...))
	for _, n := range []int64{10, 55, 100, 1000} {
		c := choose(t, s, "latin", n)
		if c.Coverage.Uneven > 1 || n%10 == 0 && c.Coverage.Uneven > 0 {
			t.Errorf("%d treatments of 10^12: %s", n, strings.Join(c.Coverage.Lines(), "; "))
		}
	}
}

// A sample of two out of four is each of the six equally often: the 0.999
// quantile of chi-square with 5 degrees of freedom is 20.5.
func TestRandomIsUniform(t *testing.T) {
	s := compile(t, rules(4))
	counts := map[string]int{}
	const seeds = 12000
	for seed := range int64(seeds) {
		c, err := Choose(s, engine.Partial{N: 2, Method: "random"}, seed)
		if err != nil {
			t.Fatal(err)
		}
		counts[fmt.Sprint(c.Treatments)]++
	}
	chi := 0.0
	for _, n := range counts {
		chi += float64((n-seeds/6)*(n-seeds/6)) / (seeds / 6)
	}
	if len(counts) != 6 || chi > 20.5 {
		t.Errorf("%d samples, chi-square %.1f", len(counts), chi)
	}
}

func TestRandomHoldsEverySmallerSample(t *testing.T) {
	for _, s := range []*space.Space{compile(t, rules(30, 30)), compile(t, rules(2000, 2000)), compile(t, rules(slices.Repeat([]int{10}, 25)...))} {
		small, large := choose(t, s, "random", 50), choose(t, s, "random", 100)
		for _, treatment := range small.Treatments {
			if _, ok := large.Rank(treatment); !ok {
				t.Fatalf("%v is in 50 but not in 100", treatment)
			}
		}
	}
}

// Adding a level keeps what was sampled but for the share of the new one;
// reordering levels keeps all.
func TestRandomSurvivesEdits(t *testing.T) {
	before, after, turned := rules(10, 30), rules(10, 31), rules(10, 30)
	slices.Reverse(turned.Variables[0].Levels)
	words := func(r space.Rules) (all []string) {
		for _, t := range choose(t, compile(t, r), "random", 100).Treatments {
			all = append(all, t.Format(r.Variables))
		}
		slices.Sort(all)
		return all
	}
	old := words(before)
	if !slices.Equal(words(turned), old) {
		t.Error("reordered levels are sampled otherwise")
	}
	kept := 0
	for _, word := range words(after) {
		if slices.Contains(old, word) {
			kept++
		}
	}
	if kept < 90 {
		t.Errorf("%d of 100 kept after adding one level of 31", kept)
	}
}

// Every method works beyond 64 bits too, where there are no ranks.
func TestLargeSpacesAreSampled(t *testing.T) {
	s := compile(t, rules(slices.Repeat([]int{4}, 33)...))
	for _, method := range Methods() {
		n := int64(40)
		if method == "pairwise" {
			n = 0
		}
		c := choose(t, s, method, n)
		checkChoice(t, s, c)
		if c.Coverage.Levels != 132 || c.Coverage.PairsOf != 33*32/2*16 {
			t.Errorf("%s: %s", method, strings.Join(c.Coverage.Lines(), "; "))
		}
	}
}

// Space-filling choices are farther apart than random ones.
func TestSpaceFillingFills(t *testing.T) {
	s := compile(t, rules(10, 10, 10))
	random := choose(t, s, "random", 30).Coverage.Nearest
	for _, method := range []string{"maximin", "wsp"} {
		if got := choose(t, s, method, 30).Coverage.Nearest; got < 2*random {
			t.Errorf("%s: nearest %.3f, random %.3f", method, got, random)
		}
	}
}

func TestMistakes(t *testing.T) {
	s := compile(t, rules(3, 3, 3))
	for _, c := range []struct {
		p    engine.Partial
		want string
	}{
		{engine.Partial{N: 4, Method: "best"}, `sample: no method "best" (one of random, latin, pairwise, maximin, wsp)`},
		{engine.Partial{N: 0, Method: "latin"}, "asks for 0 treatments"},
		{engine.Partial{N: 28, Method: "latin"}, "asks for 28 treatments of 27"},
		{engine.Partial{N: 2000, Method: "wsp"}, `"wsp" chooses 1024 treatments at most, not 2000`},
		{engine.Partial{N: 8, Method: "pairwise"}, "pairwise needs 9 treatments, not 8"},
	} {
		_, err := Choose(s, c.p, 1)
		var found engine.Mistakes
		if !errors.As(err, &found) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%+v: %v, want %q", c.p, err, c.want)
		}
	}
	if c, err := Choose(s, engine.Partial{N: 12, Method: "pairwise"}, 1); err != nil || len(c.Treatments) != 12 {
		t.Errorf("pairwise of 12: %v", err)
	}
}
