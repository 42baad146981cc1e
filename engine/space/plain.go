package space

import "mpf/engine"

// lumpSize is how many combinations of levels a lump lists at most.
const lumpSize = 1 << 10

// digitBits hold the level of one variable in a word that holds four.
const digitBits = 16

// A lump is a few variables that follow each other in a plain product. Its
// combinations are listed, so that one division finds the levels of them all.
type lump struct {
	divisor   // by the treatments that each combination has
	variables []int
	sizes     []int    // levels of each
	count     int      // of combinations
	levels    []uint64 // of each combination, the first variable lowest; nil for one variable
}

// findPlain makes lumps of a space in which every variable has all its levels
// whatever the others have: there a rank is a number with mixed bases.
func (s *Space) findPlain() {
	var lumps []lump
	for n := s.root; n > end; n = s.edges[s.nodes[n].first].child {
		at := &s.nodes[n]
		if !at.even || !at.dense {
			return
		}
		last := len(lumps) - 1
		if last < 0 || lumps[last].count*int(at.size) > lumpSize || len(lumps[last].variables) == 64/digitBits {
			lumps = append(lumps, lump{count: 1})
			last++
		}
		l := &lumps[last]
		l.divisor = at.divide
		l.variables = append(l.variables, s.order[at.depth])
		l.sizes = append(l.sizes, int(at.size))
		l.count *= int(at.size)
	}
	for i := range lumps {
		lumps[i].list()
	}
	s.plain = lumps
}

// list writes down the combinations, the last variable changing fastest.
func (l *lump) list() {
	if len(l.variables) == 1 {
		return
	}
	for c := range l.count {
		below := l.count
		word := uint64(0)
		for i, size := range l.sizes {
			below /= size
			word |= uint64(c/below%size) << (digitBits * i)
		}
		l.levels = append(l.levels, word)
	}
}

func (s *Space) kthPlain(k uint64, t engine.Treatment) {
	var combination uint64
	for i := range s.plain {
		l := &s.plain[i]
		combination, k = l.divide(k)
		if l.levels == nil {
			t[l.variables[0]] = int(combination)
			continue
		}
		word := l.levels[combination]
		for _, v := range l.variables {
			t[v] = int(word & (1<<digitBits - 1))
			word >>= digitBits
		}
	}
}
