package journal

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"strconv"
)

// MaxFrame is the most bytes that the events of one frame take.
const MaxFrame = 1 << 20

// maxHeader is more than the longest text of a frame beside its events.
const maxHeader = 96

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A frame is one commit: {"n":17,"len":412,"prev":"1b2c3d4e","crc":"89abcdef","e":[…]}
// and a line feed. The checksum covers that of the frame before, the number and
// the exact bytes of the events.
type frame struct {
	n         uint64
	prev, crc uint32
	events    []byte // with the brackets
	start     int    // of events within the frame
	size      int    // of the whole frame
}

func checksum(prev uint32, n uint64, events []byte) uint32 {
	var head [12]byte
	binary.BigEndian.PutUint32(head[:], prev)
	binary.BigEndian.PutUint64(head[4:], n)
	return crc32.Update(crc32.Checksum(head[:], castagnoli), castagnoli, events)
}

// appendFrame appends the frame of events, which hold their brackets, and
// returns its checksum and where the events start.
func appendFrame(b []byte, n uint64, prev uint32, events []byte) (out []byte, crc uint32, start int) {
	crc = checksum(prev, n, events)
	b = append(b, `{"n":`...)
	b = strconv.AppendUint(b, n, 10)
	b = append(b, `,"len":`...)
	b = strconv.AppendInt(b, int64(len(events)), 10)
	b = fmt.Appendf(b, `,"prev":"%08x","crc":"%08x","e":`, prev, crc)
	start = len(b)
	b = append(b, events...)
	return append(b, '}', '\n'), crc, start
}

// parseFrame reads the frame at the start of b and proves its checksum. Whether
// it follows the frame before is for the caller to see.
func parseFrame(b []byte) (frame, error) {
	h := header{b: b}
	h.literal(`{"n":`)
	n := h.decimal(20)
	h.literal(`,"len":`)
	size := h.decimal(7)
	h.literal(`,"prev":"`)
	prev := h.hex()
	h.literal(`","crc":"`)
	crc := h.hex()
	h.literal(`","e":`)
	if h.err != nil {
		return frame{}, h.err
	}
	switch {
	case n == 0 || size < 2 || size > MaxFrame:
		return frame{}, fmt.Errorf("frame %d with %d bytes of events", n, size)
	case uint64(len(b)-h.at) < size+2:
		return frame{}, fmt.Errorf("frame %d is cut", n)
	}
	f := frame{n: n, prev: prev, crc: crc, start: h.at, size: h.at + int(size) + 2}
	f.events = b[h.at : h.at+int(size)]
	switch {
	case string(b[f.size-2:f.size]) != "}\n":
		return frame{}, fmt.Errorf("frame %d does not end where it says", n)
	case checksum(prev, n, f.events) != crc:
		return frame{}, fmt.Errorf("frame %d: checksum mismatch", n)
	}
	return f, nil
}

// follows reports what is wrong with f as the successor of a frame.
func (f frame) follows(n uint64, crc uint32) error {
	switch {
	case f.n != n+1:
		return fmt.Errorf("frame %d where frame %d belongs", f.n, n+1)
	case f.prev != crc:
		return fmt.Errorf("frame %d does not follow the frame before it", f.n)
	}
	return nil
}

// findFrame returns the offset of the first whole frame in b, or -1.
func findFrame(b []byte) int {
	for at := 0; ; at++ {
		next := bytes.Index(b[at:], []byte(`{"n":`))
		if next < 0 {
			return -1
		}
		at += next
		if _, err := parseFrame(b[at:]); err == nil {
			return at
		}
	}
}

// header reads the exact text before the events. Its first error sticks.
type header struct {
	b   []byte
	at  int
	err error
}

func (h *header) literal(text string) {
	if h.err == nil && !bytes.HasPrefix(h.b[h.at:], []byte(text)) {
		h.err = fmt.Errorf("no frame: expected %q", text)
	}
	h.at += len(text)
}

// decimal reads a number of at most some digits, without leading zeros.
func (h *header) decimal(digits int) uint64 {
	if h.err != nil {
		return 0
	}
	end := h.at
	for end < len(h.b) && end-h.at <= digits && h.b[end] >= '0' && h.b[end] <= '9' {
		end++
	}
	text := string(h.b[h.at:end])
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil || len(text) > digits || len(text) > 1 && text[0] == '0' {
		h.err = fmt.Errorf("no frame: %q is no number", text)
	}
	h.at = end
	return n
}

// hex reads 8 lower-case digits.
func (h *header) hex() uint32 {
	if h.err != nil {
		return 0
	}
	if len(h.b)-h.at < 8 {
		h.err = fmt.Errorf("no frame: it is cut")
		return 0
	}
	text := h.b[h.at : h.at+8]
	u, err := strconv.ParseUint(string(text), 16, 32)
	if err != nil || !bytes.Equal(text, bytes.ToLower(text)) {
		h.err = fmt.Errorf("no frame: %q is no checksum", text)
	}
	h.at += 8
	return uint32(u)
}
