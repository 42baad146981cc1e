package journal

import "mpf/engine"

// A seal is the state at the end of a segment, for its index.
type seal struct {
	rows    []row
	opens   []byte
	notable []Event
	counts  counts
	over    overs  // of the segment
	left    int64  // of its DONE events, those of attempts that left something
	sha256  string // of the segment
}

// seal returns the state for an index and begins the next segment.
func (s *state) seal() (*seal, error) {
	opens, err := appendEvents(nil, s.openEvents())
	sealed := &seal{opens: opens, notable: s.notable, counts: s.counts, over: s.overSince, left: s.leftSince}
	seen := map[engine.RunID]bool{}
	for _, run := range s.touched {
		if !seen[run] {
			seen[run] = true
			sealed.rows = append(sealed.rows, s.rows.get(run))
		}
	}
	s.beginSegment()
	return sealed, err
}
