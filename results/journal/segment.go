package journal

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"

	"mpf/results/fsys"
)

// Dir is the directory of the segments.
const Dir = "journal"

// maxSegment is the size from which on a segment is not continued.
const maxSegment = 16 << 20

func segmentName(number int) string { return path.Join(Dir, fmt.Sprintf("%08d.jsonl", number)) }
func indexName(number int) string   { return path.Join(Dir, fmt.Sprintf("%08d.idx", number)) }

// A segment is what is known of one file of the journal.
type segment struct {
	number int
	before Tail   // the end of the segment before
	end    Tail   // Size is the file's
	done   int64  // DONE events up to its end
	opens  []byte // the events of the attempts that are open at its end
	left   int64  // of its DONE events, those of attempts that left something
	sha256 string // empty: neither is known, as it may yet grow
}

// seal notes what is known of a segment that will not change any more.
func (s *segment) seal(sealed *seal) {
	s.opens, s.left, s.sha256 = sealed.opens, sealed.left, sealed.sha256
}

func (s segment) name() string { return segmentName(s.number) }

// segmentOf returns the number of the segment of a name.
func segmentOf(name string) (int, bool) {
	text, ok := strings.CutSuffix(path.Base(name), ".jsonl")
	number, err := strconv.Atoi(text)
	return number, ok && err == nil && len(text) == 8
}

// allSegments lists the numbers of the segments there are.
func allSegments(tree fsys.FS) ([]int, error) {
	entries, err := tree.ReadDir(Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	var numbers []int
	for _, e := range entries {
		if number, ok := segmentOf(e.Name()); ok {
			numbers = append(numbers, number)
		}
	}
	return numbers, nil
}

// countSegments returns how many segments there are; they must be contiguous.
func countSegments(tree fsys.FS) (int, error) {
	numbers, err := allSegments(tree)
	for i, number := range numbers {
		if number != i+1 {
			return 0, &Damage{File: segmentName(i + 1), What: "the file is missing"}
		}
	}
	return len(numbers), err
}

// readSegment reads a segment into b, growing it, up to size bytes, or all of
// it where size is negative.
func readSegment(tree fsys.FS, number int, b []byte, size int64) (_ []byte, err error) {
	name := segmentName(number)
	f, err := fsys.Open(tree, name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, err
	}
	switch {
	case !info.Mode().IsRegular():
		return nil, &Damage{File: name, What: "not a file"}
	case size < 0: // more than a segment and a torn frame is never looked at
		size = min(info.Size(), maxSegment+3*MaxFrame)
	case info.Size() < size:
		return nil, &Damage{File: name, Offset: info.Size(), What: "the file was cut"}
	}
	if int64(cap(b)) < size {
		b = make([]byte, size)
	}
	b = b[:size]
	_, err = io.ReadFull(f, b)
	return b, err
}

// A scan walks over the frames of a segment in memory.
type scan struct {
	b      []byte
	number int
	at     int
	n      uint64
	crc    uint32
}

// next returns the next frame; false at the end. Only a frame that follows the
// one before is good.
func (s *scan) next() (frame, bool, error) {
	if s.at == len(s.b) {
		return frame{}, false, nil
	}
	f, err := parseFrame(s.b[s.at:])
	if err == nil {
		err = f.follows(s.n, s.crc)
	}
	if err != nil {
		return frame{}, false, s.damage(err)
	}
	f.start += s.at
	s.at += f.size
	s.n, s.crc = f.n, f.crc
	return f, true, nil
}

func (s *scan) damage(err error) error {
	return &Damage{File: segmentName(s.number), Offset: int64(s.at), N: s.n, What: err.Error()}
}

func (s *scan) tail() Tail { return Tail{Size: int64(s.at), N: s.n, CRC: s.crc} }
