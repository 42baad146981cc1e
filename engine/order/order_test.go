package order

import (
	"fmt"
	"testing"
)

func key(seed uint64) Key { return KeyOf("test", seed) }

func TestPermutationHoldsEveryNumberOnce(t *testing.T) {
	for _, n := range []uint64{0, 1, 2, 3, 4, 5, 24, 1000, 70000, TableLimit + 17} {
		p := New(n, key(n))
		seen := make([]bool, n)
		for i := range n {
			x := p.At(i)
			if x >= n || seen[x] {
				t.Fatalf("n=%d: place %d holds %d again", n, i, x)
			}
			seen[x] = true
			if p.Place(x) != i {
				t.Fatalf("n=%d: place of %d is %d, want %d", n, x, p.Place(x), i)
			}
		}
	}
}

func TestCipherIsUndoneAtAnySize(t *testing.T) {
	for _, n := range []uint64{1<<20 + 1, 1e9, 1e12, 1e18, 1<<63 + 5, ^uint64(0)} {
		p := New(n, key(n))
		random := NewRandom(key(1))
		for range 10000 {
			i := random.Below(n)
			if x := p.At(i); x >= n || p.Place(x) != i {
				t.Fatalf("n=%d: place %d holds %d, whose place is %d", n, i, x, p.Place(x))
			}
		}
	}
}

// All 24 orders of four things are equally likely over many seeds: the 0.999
// quantile of chi-square with 23 degrees of freedom is 49.73.
func TestOrdersOfFourAreEquallyLikely(t *testing.T) {
	const seeds = 96000
	counts := map[string]int{}
	for seed := range uint64(seeds) {
		p := New(4, KeyOf("mpf-order-1", seed, 1))
		counts[fmt.Sprint(p.At(0), p.At(1), p.At(2), p.At(3))]++
	}
	if len(counts) != 24 {
		t.Fatalf("%d orders, want 24", len(counts))
	}
	if chi := chiSquare(counts, seeds/24); chi > 49.73 {
		t.Errorf("chi-square %.1f", chi)
	}
}

// The cipher is not exactly uniform, but no simple look at it tells: where a
// number goes, and how far its neighbour goes from it, are spread evenly over
// keys. 0.999 quantile for 63 degrees of freedom: 103.4.
func TestCipherLooksUniform(t *testing.T) {
	const n, keys, bins = 1e6 + 1<<20, 64000, 64
	places, gaps, within := map[string]int{}, map[string]int{}, map[string]int{}
	one := New(n, key(7))
	for seed := range uint64(keys) {
		p := New(n, key(seed))
		a, b := p.At(1000), p.At(1001)
		places[fmt.Sprint(a*bins/n)]++
		gaps[fmt.Sprint((a+n-b)%n*bins/n)]++
		within[fmt.Sprint((one.At(seed)+n-one.At(seed+1))%n*bins/n)]++
	}
	for name, counts := range map[string]map[string]int{"places": places, "gaps": gaps, "within": within} {
		if chi := chiSquare(counts, keys/bins); chi > 103.4 {
			t.Errorf("%s: chi-square %.1f", name, chi)
		}
	}
}

func chiSquare(counts map[string]int, want float64) float64 {
	chi := 0.0
	for _, n := range counts {
		d := float64(n) - want
		chi += d * d / want
	}
	return chi
}

func TestBelowIsEven(t *testing.T) {
	random := NewRandom(key(3))
	counts := map[string]int{}
	for range 120000 {
		counts[fmt.Sprint(random.Below(6))]++
	}
	if chi := chiSquare(counts, 20000); chi > 20.52 || len(counts) != 6 {
		t.Errorf("chi-square %.1f over %d numbers", chi, len(counts))
	}
}

// The streams behind every order are pinned: a change of any of these numbers
// reorders every campaign.
func TestStreamsAreGolden(t *testing.T) {
	random := NewRandom(KeyOf("golden", 1, 2))
	got := fmt.Sprintf("%x %x %d", random.Uint64(), random.Uint64(), random.Below(1000))
	small, large := New(10, KeyOf("golden", 3)), New(1e12, KeyOf("golden", 4))
	for i := range uint64(10) {
		got += fmt.Sprint(" ", small.At(i))
	}
	got += fmt.Sprint(" ", large.At(0), " ", large.At(1), " ", large.At(999999999999))
	const want = "89ba195d36f7a3c2 39f2acdec7f0d1bd 232 3 4 7 6 1 9 2 5 0 8 720079611671 666181121276 608994284223"
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

// The first numbers that the authors' own program prints from this state.
func TestRandomIsXoshiro256StarStar(t *testing.T) {
	random := &Random{s: [4]uint64{1, 2, 3, 4}}
	for i, want := range []uint64{11520, 0, 1509978240, 1215971899390074240} {
		if got := random.Uint64(); got != want {
			t.Errorf("number %d is %d, want %d", i, got, want)
		}
	}
}
