package fsystest

import (
	"maps"
	"math/rand/v2"
	"slices"
)

// luck decides what is left of what was not synced.
type luck interface {
	keeps() bool         // a change of a name
	data(n *node) []byte // of a file
}

// never keeps nothing.
type never struct{}

func (never) keeps() bool         { return false }
func (never) data(n *node) []byte { return slices.Clone(n.synced) }

// chance keeps a part.
type chance struct{ *rand.Rand }

func (c chance) keeps() bool { return c.IntN(2) == 0 }

const (
	page   = 4096
	sector = 512
)

// data draws a size, and for each page that was written which of it was stored.
func (c chance) data(n *node) []byte {
	size := len(n.data)
	switch c.IntN(3) {
	case 0:
		size = len(n.synced)
	case 1:
		low, high := min(size, len(n.synced)), max(size, len(n.synced))
		size = low + c.IntN(high-low+1)
	}
	data := make([]byte, size)
	copy(data, n.synced)
	for _, from := range dirtyPages(n) {
		if c.keeps() {
			continue
		}
		to := from + page
		if c.IntN(4) == 0 { // torn
			to = from + sector*c.IntN(page/sector)
		}
		if to = min(to, size, len(n.data)); from < to {
			copy(data[from:to], n.data[from:to])
		}
	}
	return data
}

// dirtyPages lists where the pages begin that were written and not synced.
func dirtyPages(n *node) []int {
	pages := map[int]bool{}
	for _, s := range n.dirty {
		for at := s.from - s.from%page; at < s.to; at += page {
			pages[at] = true
		}
	}
	return slices.Sorted(maps.Keys(pages))
}
