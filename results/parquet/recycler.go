package parquet

import "math/bits"

// A recycler gives the library memory that it has freed before, so that the
// collector is not kept busy with it. It is used by one goroutine at a time.
type recycler struct {
	freed [32][][]byte // by the binary logarithm of their size
	kept  int          // bytes
}

const (
	maxRecycled  = 8 << 20 // bytes that wait to be used again
	smallestSize = 6       // logarithm; the library's alignment
)

// Allocate implements the library's memory.Allocator: all bytes are 0.
func (r *recycler) Allocate(size int) []byte {
	class := classOf(size)
	if class >= len(r.freed) {
		return make([]byte, size)
	}
	n := len(r.freed[class])
	if n == 0 {
		return make([]byte, size, 1<<class)
	}
	b := r.freed[class][n-1][:size]
	r.freed[class] = r.freed[class][:n-1]
	r.kept -= cap(b)
	clear(b)
	return b
}

// Reallocate implements the library's memory.Allocator.
func (r *recycler) Reallocate(size int, b []byte) []byte {
	if size <= cap(b) {
		if size > len(b) {
			clear(b[len(b):size])
		}
		return b[:size]
	}
	grown := r.Allocate(size)
	copy(grown, b)
	r.Free(b)
	return grown
}

// Free implements the library's memory.Allocator.
func (r *recycler) Free(b []byte) {
	class := classOf(cap(b))
	if cap(b) != 1<<class || class >= len(r.freed) || r.kept+cap(b) > maxRecycled {
		return
	}
	r.freed[class] = append(r.freed[class], b)
	r.kept += cap(b)
}

func classOf(size int) int { return max(smallestSize, bits.Len(uint(max(size-1, 0)))) }
