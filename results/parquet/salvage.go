package parquet

import (
	"io"
)

// Salvage writes a whole segment of the readings that a cut or damaged one has
// before the place where it cannot be read any further, and returns why, or nil.
// A damaged stream may ask for any amount of memory: it is for a process that
// can be spared.
func Salvage(w io.Writer, r io.Reader) (cut, err error) {
	s, err := newSegment(w, "")
	if err != nil {
		return nil, err
	}
	for reading, err := range ReadSegment(r) {
		if err != nil {
			return err, s.end()
		}
		if err := s.add(reading); err != nil {
			return nil, err
		}
	}
	return nil, s.end()
}
