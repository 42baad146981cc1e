package engine

import (
	"encoding/hex"
	"fmt"
)

// A RunID is the content hash of a run: see Identify.
type RunID [16]byte

func (id RunID) String() string { return hex.EncodeToString(id[:]) }

// ParseRunID reads what String printed.
func ParseRunID(text string) (RunID, error) {
	var id RunID
	raw, err := hex.DecodeString(text)
	if err != nil || len(raw) != len(id) {
		return id, fmt.Errorf("run id %q: not %d lower-case hexadecimal digits", text, 2*len(id))
	}
	copy(id[:], raw)
	return id, nil
}

// A Run is one replicate of one treatment at its place in the design.
type Run struct {
	ID        RunID
	Treatment Treatment
	Rank      uint64 // of the treatment within its space
	Replicate int    // from 1
	Block     int    // from 1; runs of a block are kept together in the order
	Position  int64  // from 0, in the order of the whole design
}
