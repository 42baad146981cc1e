package order

import (
	"crypto/sha256"
	"encoding/binary"
)

// A Key determines a permutation or a stream of random numbers.
type Key [32]byte

// KeyOf derives a key from what it is for and the numbers that tell it from
// others of that purpose: SHA-256 over the length of the purpose in 4 bytes,
// the purpose, and 8 bytes for each number, all big-endian.
func KeyOf(purpose string, numbers ...uint64) Key {
	b := binary.BigEndian.AppendUint32(nil, uint32(len(purpose)))
	b = append(b, purpose...)
	for _, n := range numbers {
		b = binary.BigEndian.AppendUint64(b, n)
	}
	return sha256.Sum256(b)
}
