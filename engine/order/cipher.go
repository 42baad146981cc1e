package order

import "math/bits"

// multiplier is the 64 bits after the point of the golden ratio, made odd.
const multiplier = 0x9e3779b97f4a7c15

const rounds = 6

// A cipher is a keyed bijection on the numbers below rows<<width, which are the
// places of a table of about as many rows as columns. In turn the row is moved
// on by a hash of the column and the column by a hash of the row (a Feistel
// network), which can be undone step by step.
type cipher struct {
	rows  uint64
	width uint // of a column's number in bits
	mask  uint64
	keys  [rounds]uint64
}

// newCipher makes a cipher over n numbers, and fewer than one row more.
func newCipher(n uint64, random *Random) cipher {
	width := uint(bits.Len64(n)) / 2
	c := cipher{rows: (n-1)>>width + 1, width: width, mask: 1<<width - 1}
	for i := range c.keys {
		c.keys[i] = random.Uint64()
	}
	return c
}

func (c *cipher) mix(x uint64) uint64 {
	row, column := x>>c.width, x&c.mask
	for i := 0; i < rounds; i += 2 {
		row += c.rowStep(column, c.keys[i])
		if row >= c.rows {
			row -= c.rows
		}
		column = (column + hash(row, c.keys[i+1])) & c.mask
	}
	return row<<c.width | column
}

func (c *cipher) unmix(x uint64) uint64 {
	row, column := x>>c.width, x&c.mask
	for i := rounds - 2; i >= 0; i -= 2 {
		column = (column - hash(row, c.keys[i+1])) & c.mask
		step := c.rowStep(column, c.keys[i])
		if row < step {
			row += c.rows
		}
		row -= step
	}
	return row<<c.width | column
}

// rowStep scales a hash to the number of rows.
func (c *cipher) rowStep(column, key uint64) uint64 {
	step, _ := bits.Mul64(hash(column, key), c.rows)
	return step
}

func hash(x, key uint64) uint64 {
	x = (x ^ key) * multiplier
	x = (x ^ x>>32) * multiplier
	return x ^ x>>32
}
