package journal

import (
	"encoding/binary"
	"slices"

	"mpf/engine"
)

// A place is where the bytes of a DONE event lie, with their checksum.
type place struct {
	segment, offset, length, crc uint32
}

// A row is what is kept in memory of a run that was started.
type row struct {
	run      engine.RunID
	at       place // of its last DONE; zero if none
	attempts uint32
	status   uint8 // 1 + index of engine.Statuses; 0 if no attempt has ended
}

// rowSize is the length of a row in an index.
const rowSize = 16 + 5*4 + 1

func (r row) append(b []byte) []byte {
	b = append(b, r.run[:]...)
	for _, u := range [...]uint32{r.at.segment, r.at.offset, r.at.length, r.at.crc, r.attempts} {
		b = binary.LittleEndian.AppendUint32(b, u)
	}
	return append(b, r.status)
}

func readRow(b []byte) row {
	u := func(i int) uint32 { return binary.LittleEndian.Uint32(b[16+4*i:]) }
	return row{
		run: engine.RunID(b[:16]), at: place{u(0), u(1), u(2), u(3)}, attempts: u(4), status: b[36],
	}
}

func statusCode(s engine.Status) uint8 { return uint8(slices.Index(engine.Statuses[:], s) + 1) }

func (r row) engineStatus() engine.Status {
	if r.status == 0 {
		return ""
	}
	return engine.Statuses[r.status-1]
}

// A table finds rows by run. Those known when the journal was opened lie in one
// slice, sorted by the first 16 bits of their run, which are as good as random;
// those changed since then lie in a map.
type table struct {
	sealed []row
	starts []uint32 // of each bucket in sealed
	live   map[engine.RunID]row
}

const buckets = 1 << 16

func bucketOf(run engine.RunID) int { return int(binary.BigEndian.Uint16(run[:])) }

// newTable makes a table of rows as an index holds them, of which later ones
// replace earlier ones of the same run.
func newTable(chunks [][]byte) table {
	starts := make([]uint32, buckets+1)
	total := 0
	for _, b := range chunks {
		for ; len(b) > 0; b = b[rowSize:] {
			starts[bucketOf(engine.RunID(b[:16]))+1]++
			total++
		}
	}
	for i := range buckets {
		starts[i+1] += starts[i]
	}
	next := slices.Clone(starts)
	sealed := make([]row, total)
	for _, b := range chunks {
		for ; len(b) > 0; b = b[rowSize:] {
			at := &next[bucketOf(engine.RunID(b[:16]))]
			sealed[*at] = readRow(b)
			*at++
		}
	}
	return table{sealed: sealed, starts: starts, live: map[engine.RunID]row{}}
}

// get returns the row of a run, its zero with the run if it was never started.
func (t *table) get(run engine.RunID) row {
	if r, ok := t.live[run]; ok {
		return r
	}
	if t.sealed != nil {
		b := bucketOf(run)
		for i := int(t.starts[b+1]) - 1; i >= int(t.starts[b]); i-- {
			if t.sealed[i].run == run {
				return t.sealed[i]
			}
		}
	}
	return row{run: run}
}

func (t *table) set(r row) { t.live[r.run] = r }

// all calls visit with every row, in no order.
func (t *table) all(visit func(row)) {
	for i := range t.sealed {
		if r := t.sealed[i]; t.get(r.run) == r {
			visit(r)
		}
	}
	for _, r := range t.live {
		visit(r)
	}
}
