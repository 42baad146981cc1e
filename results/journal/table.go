package journal

import (
	"bytes"
	"encoding/binary"
	"slices"
	"sort"

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

// A table finds rows by run. Those known when the journal was opened stay as
// indexes hold them, later ones after earlier ones of the same run; those changed
// since then lie in a map.
type table struct {
	chunks [][]byte
	firsts []int      // the number of each chunk's first row, counted through all
	byRun  *directory // or nil: to be made when a row is first asked for
	live   map[engine.RunID]row
}

// add puts the rows of indexes behind those that there are.
func (t *table) add(chunks [][]byte) {
	if len(t.live) > 0 {
		var b []byte
		for _, r := range t.live {
			b = r.append(b)
		}
		t.chunks = append(t.chunks, b)
		clear(t.live)
	}
	t.chunks, t.byRun = append(t.chunks, chunks...), nil
}

// index makes the directory. Whoever only looks at what a journal holds beside
// its runs does without.
func (t *table) index() {
	t.firsts = t.firsts[:0]
	count := 0
	for _, b := range t.chunks {
		t.firsts = append(t.firsts, count)
		count += len(b) / rowSize
	}
	t.byRun = newDirectory(t.chunks, count)
}

// get returns the row of a run, its zero with the run if it was never started.
func (t *table) get(run engine.RunID) row {
	if r, ok := t.live[run]; ok {
		return r
	}
	if t.byRun == nil {
		t.index()
	}
	for _, n := range slices.Backward(t.byRun.bucket(run)) {
		if b := t.at(int(n)); engine.RunID(b[:16]) == run {
			return readRow(b)
		}
	}
	return row{run: run}
}

// at returns a row by its number.
func (t *table) at(n int) []byte {
	chunk := sort.Search(len(t.firsts), func(i int) bool { return t.firsts[i] > n }) - 1
	return t.chunks[chunk][(n-t.firsts[chunk])*rowSize:][:rowSize]
}

// with lists the runs whose row has a status.
func (t *table) with(status uint8) (runs []engine.RunID) {
	for run, r := range t.live {
		if r.status == status {
			runs = append(runs, run)
		}
	}
	for _, chunk := range t.chunks {
		for b := range slices.Chunk(chunk, rowSize) {
			if r := readRow(b); r.status == status && t.get(r.run) == r {
				runs = append(runs, r.run)
			}
		}
	}
	slices.SortFunc(runs, func(a, b engine.RunID) int { return bytes.Compare(a[:], b[:]) })
	return slices.Compact(runs)
}

func (t *table) set(r row) { t.live[r.run] = r }
