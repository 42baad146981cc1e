package space

import (
	"runtime"
	"testing"
	"time"

	"mpf/engine"
	"mpf/engine/order"
)

func BenchmarkCompile(b *testing.B) {
	for _, c := range []struct {
		name  string
		rules Rules
	}{{"product 10^12", ten(12)}, {"crossed 10^12", crossed(12)}, {"crossed 10^18", crossed(18)},
		{"chained 10^12", chained(12)}, {"chained 10^18", chained(18)}} {
		b.Run(c.name, func(b *testing.B) {
			var s *Space
			b.ReportAllocs()
			for b.Loop() {
				s, _ = Compile(c.rules)
			}
			nodes, edges := s.Size()
			b.ReportMetric(float64(nodes), "nodes")
			b.ReportMetric(float64(edges), "edges")
		})
	}
}

func BenchmarkKthAndRank(b *testing.B) {
	for _, c := range []struct {
		name  string
		rules Rules
	}{{"product 10^10", ten(10)}, {"crossed 10^10", crossed(10)}, {"chained 10^10", chained(10)}} {
		s, err := Compile(c.rules)
		if err != nil {
			b.Fatal(err)
		}
		count, _ := s.Count()
		treatment := make(engine.Treatment, len(s.Variables()))
		b.Run("kth "+c.name, func(b *testing.B) {
			k := uint64(0)
			for b.Loop() {
				k = (k + 0x9e3779b97f4a7c15) % count
				s.Kth(k, treatment)
			}
		})
		b.Run("rank "+c.name, func(b *testing.B) {
			for b.Loop() {
				s.Rank(treatment)
			}
		})
	}
}

// What a point costs when the design is walked in the order of a permutation,
// against a list of the whole product that is shuffled and read, in one run.
func BenchmarkWalkAgainstEnumeration(b *testing.B) {
	const variables = 6
	s, err := Compile(ten(variables))
	if err != nil {
		b.Fatal(err)
	}
	large, err := Compile(ten(10))
	if err != nil {
		b.Fatal(err)
	}
	larger, err := Compile(ten(12))
	if err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		start := time.Now()
		walk(s, 1e6)
		small := time.Since(start)
		start = time.Now()
		walk(large, 1e6)
		b.ReportMetric(float64(time.Since(start).Nanoseconds())/1e6, "ns/point-of-10^10")
		start = time.Now()
		walk(larger, 1e6)
		b.ReportMetric(float64(time.Since(start).Nanoseconds())/1e6, "ns/point-of-10^12")
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start = time.Now()
		enumerate(variables)
		slow := time.Since(start)
		runtime.ReadMemStats(&after)
		b.ReportMetric(float64(small.Nanoseconds())/1e6, "ns/point")
		b.ReportMetric(float64(slow.Nanoseconds())/1e6, "ns/point-enumerated")
		b.ReportMetric(float64(slow)/float64(small), "times-faster")
		b.ReportMetric(float64(after.TotalAlloc-before.TotalAlloc)/1e6, "B/point-enumerated")
	}
}

func walk(s *Space, points uint64) {
	count, _ := s.Count()
	p := order.New(count, order.KeyOf("walk"))
	t := make(engine.Treatment, len(s.Variables()))
	for i := range points {
		s.Kth(p.At(i), t)
	}
}

// enumerate lists 10^n treatments, shuffles and reads them.
func enumerate(n int) (sum int) {
	all := []engine.Treatment{{}}
	for range n {
		var longer []engine.Treatment
		for _, t := range all {
			for level := range 10 {
				longer = append(longer, append(t[:len(t):len(t)], level))
			}
		}
		all = longer
	}
	for _, i := range indices(len(all)) {
		sum += all[i][0]
	}
	return sum
}

func indices(n int) []uint64 {
	p := order.New(uint64(n), order.KeyOf("walk"))
	list := make([]uint64, n)
	for i := range list {
		list[i] = p.At(uint64(i))
	}
	return list
}

// What it takes to refuse an exclusion over everything.
func BenchmarkRefuse(b *testing.B) {
	r := ten(12)
	r.Exclusions = []engine.Exclusion{{Variables: all(12), Excludes: notBoth}}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := Compile(r); err == nil {
			b.Fatal("not refused")
		}
	}
}

func all(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}
