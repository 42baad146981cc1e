package journal

import (
	"encoding/binary"
	"math/bits"
	"slices"

	"mpf/engine"
)

// A directory groups the numbers of rows by the first bits of their runs, which
// are as good as random, so that few share a bucket.
type directory struct {
	shift   uint
	starts  []uint32 // of each bucket in numbers, and the end of the last
	numbers []uint32
}

// minBuckets and maxBuckets bound the size of a directory.
const (
	minBuckets = 1 << 4
	maxBuckets = 1 << 24
)

func newDirectory(chunks [][]byte, rows int) *directory {
	buckets := minBuckets
	for buckets < rows && buckets < maxBuckets {
		buckets *= 2
	}
	d := &directory{
		shift: uint(32 - bits.TrailingZeros(uint(buckets))), starts: make([]uint32, buckets+1), numbers: make([]uint32, rows),
	}
	for _, b := range chunks {
		for ; len(b) > 0; b = b[rowSize:] {
			d.starts[d.bucketOf(b)]++
		}
	}
	for i := range buckets {
		d.starts[i+1] += d.starts[i]
	}
	for _, b := range slices.Backward(chunks) { // each bucket is filled from its end
		for ; len(b) > 0; b = b[:len(b)-rowSize] {
			rows--
			i := d.bucketOf(b[len(b)-rowSize:])
			d.starts[i]--
			d.numbers[d.starts[i]] = uint32(rows)
		}
	}
	return d
}

func (d *directory) bucketOf(row []byte) int {
	return int(binary.BigEndian.Uint32(row) >> d.shift)
}

// bucket returns the numbers of the rows that may be of a run.
func (d *directory) bucket(run engine.RunID) []uint32 {
	i := d.bucketOf(run[:])
	return d.numbers[d.starts[i]:d.starts[i+1]]
}
