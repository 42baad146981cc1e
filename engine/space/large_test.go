package space

import (
	"errors"
	"fmt"
	"math/big"
	"slices"
	"strings"
	"testing"

	"mpf/engine"
	"mpf/engine/order"
)

// ten declares variables of ten levels each.
func ten(n int) (r Rules) {
	for i := range n {
		v := engine.Variable{Name: fmt.Sprintf("v%d", i)}
		for level := range 10 {
			v.Levels = append(v.Levels, engine.Level{Label: fmt.Sprint(level), Value: int64(level)})
		}
		r.Variables = append(r.Variables, v)
	}
	return r
}

// crossed is ten(n) with a condition on every fourth variable and an exclusion
// over each pair that lies half the variables apart: as declared, all the
// first half would have to be remembered.
func crossed(n int) Rules {
	r := ten(n)
	for i := 3; i < n; i += 4 {
		r.Variables[i].When = []engine.Condition{{Variable: i - 1, Levels: []int{0, 1, 2, 3, 4, 5, 6, 7}}}
	}
	for i := range n / 2 {
		r.Exclusions = append(r.Exclusions, engine.Exclusion{Variables: []int{i, i + n/2}, Excludes: notBoth})
	}
	return r
}

// notBoth excludes equal levels.
func notBoth(values []engine.Value) (bool, error) { return values[0] == values[1], nil }

// chained is ten(n) with a condition on every fourth variable and an exclusion
// over every three that follow each other.
func chained(n int) Rules {
	r := crossed(n)
	r.Exclusions = nil
	for i := range n - 2 {
		r.Exclusions = append(r.Exclusions, engine.Exclusion{Variables: []int{i, i + 1, i + 2}, Excludes: notAscending})
	}
	return r
}

// notAscending excludes three levels that ascend by one, absent ones aside.
func notAscending(values []engine.Value) (bool, error) {
	a, _ := values[0].(int64)
	b, _ := values[1].(int64)
	c, _ := values[2].(int64)
	return a+1 == b && b+1 == c, nil
}

func TestPlainProductsAreCountedAtAnySize(t *testing.T) {
	for n, want := 1, uint64(10); n <= 19; n, want = n+1, want*10 {
		s, err := Compile(ten(n))
		if err != nil {
			t.Fatal(err)
		}
		count, ok := s.Count()
		if !ok || count != want {
			t.Fatalf("%d variables: %d treatments", n, count)
		}
		checkRanks(t, s)
	}
}

// checkRanks goes from ranks to treatments and back, at many places.
func checkRanks(t *testing.T, s *Space) {
	t.Helper()
	count, _ := s.Count()
	random := order.NewRandom(order.KeyOf("ranks"))
	treatment := make(engine.Treatment, len(s.Variables()))
	for i := range uint64(500) {
		k := random.Below(count)
		switch i {
		case 0:
			k = 0
		case 1:
			k = count - 1
		}
		s.Kth(k, treatment)
		if rank, ok := s.Rank(treatment); !ok || rank != k {
			t.Fatalf("rank of treatment %d is %d, %v", k, rank, ok)
		}
	}
}

// The count of crossed rules is known by arithmetic: each pair of variables is
// a unit of its own as far as no condition ties it to another.
func TestCrossedSpacesAreCountedExactly(t *testing.T) {
	for _, n := range []int{4, 8, 12, 18, 20} {
		r := crossed(n)
		s, err := Compile(r)
		if err != nil {
			t.Fatal(err)
		}
		if _, ok := s.Count(); !ok {
			t.Fatalf("%d variables: more than 64 bits", n)
		}
		checkRanks(t, s)
		if n == 4 {
			if count, _ := s.Count(); count != uint64(len(listed(r))) {
				t.Errorf("%d treatments, the slow way finds %d", count, len(listed(r)))
			}
		}
	}
}

func TestBeyondAWordIsCountedButNotRanked(t *testing.T) {
	s, err := Compile(ten(25))
	if err != nil {
		t.Fatal(err)
	}
	want := new(big.Int).Exp(big.NewInt(10), big.NewInt(25), nil)
	if _, ok := s.Count(); ok || s.Big().Cmp(want) != 0 {
		t.Errorf("%v treatments, counted as a word: %v", s.Big(), ok)
	}
	if b := s.Balances()[3].Levels[7]; new(big.Int).Mul(b, big.NewInt(10)).Cmp(want) != 0 {
		t.Errorf("a level occurs %v times", b)
	}
	if _, ok := s.Rank(make(engine.Treatment, 25)); ok {
		t.Error("a treatment has a rank")
	}
}

func TestTwoToThe64IsTooLargeByOne(t *testing.T) {
	r := Rules{}
	for i := range 64 {
		r.Variables = append(r.Variables, engine.Variable{Name: fmt.Sprint(i), Levels: make([]engine.Level, 2)})
	}
	s, err := Compile(r)
	if err != nil {
		t.Fatal(err)
	}
	if _, ok := s.Count(); ok {
		t.Error("2^64 fits a word")
	}
	r.Exclusions = []engine.Exclusion{{Variables: []int{0, 1, 2}, Excludes: func([]engine.Value) (bool, error) { return false, nil }}}
	r.Variables[0].Levels = r.Variables[0].Levels[:1]
	if s, err = Compile(r); err != nil {
		t.Fatal(err)
	}
	if n, ok := s.Count(); !ok || n != 1<<63 {
		t.Errorf("%d treatments, %v", n, ok)
	}
}

// few are limits that are soon reached.
func few() limits { return limits{asked: 1 << 12, askedAll: 1 << 13, edges: 1 << 15} }

// An exclusion over everything is refused after a bounded number of questions.
func TestWorkIsBounded(t *testing.T) {
	r := ten(12)
	asked := 0
	r.Exclusions = []engine.Exclusion{{Pos: engine.Pos{File: "x.star", Line: 9, Col: 1},
		Variables: []int{0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11},
		Excludes: func(values []engine.Value) (bool, error) {
			asked++
			sum := int64(0)
			for _, v := range values {
				sum += v.(int64)
			}
			return sum%7 == 3, nil
		}}}
	_, err := compile(r, few())
	var found engine.Mistakes
	if !errors.As(err, &found) || len(found) != 1 || found[0].Pos.Line != 9 || found[0].Hint == "" {
		t.Fatalf("error %v", err)
	}
	r.Exclusions[0].Variables = r.Exclusions[0].Variables[:5]
	if _, err := compile(r, few()); err == nil || !strings.Contains(err.Error(), "asked 4096 times and not done") || asked > 4096 {
		t.Errorf("asked %d times, error %v", asked, err)
	}
	for _, text := range []string{`exclude over "v0", "v1"`, "1000000000000 combinations", "asked"} {
		if !strings.Contains(err.Error(), text) {
			t.Errorf("error %q does not say %q", err, text)
		}
	}
}

// The program finds an order of variables that keeps the diagram small where
// the order of declaration, asked for, would not.
func TestOrderOfVariablesIsFound(t *testing.T) {
	r := crossed(12)
	s, err := compile(r, few())
	if err != nil {
		t.Fatal(err)
	}
	if nodes, _ := s.Size(); nodes > 100 {
		t.Errorf("%d nodes", nodes)
	}
	r.Declared = true
	if _, err := compile(r, few()); err == nil || !strings.Contains(err.Error(), `without order = "declared"`) {
		t.Errorf("error %v", err)
	}
	small := crossed(4)
	s, err = Compile(small)
	if err != nil || !slices.IsSorted(s.Order()) {
		t.Errorf("a small diagram leaves the order of declaration: %v, %v", s.Order(), err)
	}
}
