package journal

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"

	"mpf/engine"
	"mpf/results/exact"
	"mpf/results/fsys"
)

// maxIndex bounds the size of an index that is read.
const maxIndex = 256 << 20

// An index says what the events of a segment amount to, so that a journal of a
// million runs opens without being read. It is three lines (what it covers, the
// notable events, the events of attempts open at the end), the rows that the
// segment touched, the places of the runs that ended ok in it, and a checksum. It
// is derived: one that does not fit its segment to the byte and the time is made
// again.
type indexHeader struct {
	Version  int
	Statuses string // the codes in rows mean these
	Segment  int
	Modified int64 // the segment's, in nanoseconds
	Before   Tail
	End      Tail
	Done     int64
	Counts   counts // of all rows, at its end
	Rows     int    // that follow
	Left     int64  // of its DONE events, those of attempts that left something
	SHA256   string // of the segment
}

const indexVersion = 4

var indexForm = exact.StructOf[indexHeader]()

func statusNames() string { return fmt.Sprint(engine.Statuses) }

// encodeIndex makes the index of a segment, last changed at some time, from the
// state at its end.
func encodeIndex(seg segment, s *seal, modified int64) ([]byte, error) {
	head, err := indexForm.Append(nil, "", &indexHeader{
		Version: indexVersion, Statuses: statusNames(), Segment: seg.number, Modified: modified,
		Before: seg.before, End: seg.end, Done: seg.done, Counts: s.counts, Rows: len(s.rows),
		Left: s.left, SHA256: s.sha256,
	})
	if err != nil {
		return nil, err
	}
	notable, err := appendEvents(nil, s.notable)
	var rows []byte
	for _, r := range s.rows {
		rows = r.append(rows)
	}
	b := s.over.append(bytes.Join([][]byte{head, notable, s.opens, rows}, []byte("\n")))
	return binary.LittleEndian.AppendUint32(b, crc32.Checksum(b, castagnoli)), err
}

// An index that was read.
type index struct {
	header   indexHeader
	notable  []placed
	opens    []placed
	openText []byte // of opens
	rows     []byte
	over     []byte
}

func decodeIndex(b []byte) (index, error) {
	var x index
	if len(b) < 4 || crc32.Checksum(b[:len(b)-4], castagnoli) != binary.LittleEndian.Uint32(b[len(b)-4:]) {
		return x, errors.New("checksum mismatch")
	}
	parts := bytes.SplitN(b[:len(b)-4], []byte("\n"), 4)
	if len(parts) != 4 {
		return x, errors.New("too short")
	}
	err := indexForm.Decode(parts[0], &x.header)
	if err != nil {
		return x, err
	}
	if x.notable, err = parseEvents(parts[1]); err != nil {
		return x, err
	}
	if x.opens, err = parseEvents(parts[2]); err != nil {
		return x, err
	}
	size := x.header.Rows * rowSize
	if x.header.Rows < 0 || len(parts[3]) < size {
		return x, fmt.Errorf("%d bytes for %d rows", len(parts[3]), x.header.Rows)
	}
	x.openText, x.rows, x.over = parts[2], parts[3][:size], parts[3][size:]
	return x, nil
}

// readIndex returns the index of a segment if it fits what is there.
func readIndex(tree fsys.FS, number int, before Tail) (index, bool) {
	info, err := tree.Lstat(segmentName(number))
	if err != nil || info.ModTime().IsZero() {
		return index{}, false
	}
	b, err := fsys.ReadFile(tree, indexName(number), maxIndex)
	if err != nil {
		return index{}, false
	}
	x, err := decodeIndex(b)
	h := x.header
	fits := err == nil && h.Version == indexVersion && h.Statuses == statusNames() && h.Segment == number &&
		h.Before == before && h.End.Size == info.Size() && h.Modified == info.ModTime().UnixNano()
	return x, fits
}

// writeIndex writes the index of a segment that will not change any more.
func writeIndex(tree fsys.FS, seg segment, s *seal) error {
	info, err := tree.Lstat(seg.name())
	if err != nil {
		return err
	}
	b, err := encodeIndex(seg, s, info.ModTime().UnixNano())
	if err != nil {
		return err
	}
	return fsys.WriteFile(tree, indexName(seg.number), b)
}
