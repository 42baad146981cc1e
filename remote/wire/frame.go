package wire

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
)

// MaxPayload bounds the payload of a frame.
const MaxPayload = 1 << 20

// headerSize is the length of a frame before its payload: the payload's length
// (u32), the type (u8), the sequence number (u64) and the CRC-32C of type,
// sequence number and payload (u32), big-endian.
const headerSize = 4 + 1 + 8 + 4

// A ProtocolError says that the other end sent what it must not. The link is
// over.
type ProtocolError struct{ What string }

func (e *ProtocolError) Error() string { return "protocol: " + e.What }

func protocolErrorf(format string, args ...any) error {
	return &ProtocolError{What: fmt.Sprintf(format, args...)}
}

// A Frame is one unit of the wire. Its payload is only valid until the next
// frame is read.
type Frame struct {
	Type    Type
	Payload []byte
}

// A FrameReader reads frames and insists on their order.
type FrameReader struct {
	r      io.Reader
	table  *crc32.Table
	next   uint64
	buffer []byte // read, from start on not yet consumed
	start  int
}

// NewFrameReader reads frames from r, beginning with number 0.
func NewFrameReader(r io.Reader) *FrameReader {
	return &FrameReader{r: r, table: crc32.MakeTable(crc32.Castagnoli), buffer: make([]byte, 0, 64<<10)}
}

// Next returns a frame that was read whole already, if there is one.
func (f *FrameReader) Next() (Frame, bool, error) {
	raw := f.buffer[f.start:]
	if len(raw) < headerSize {
		return Frame{}, false, nil
	}
	length := binary.BigEndian.Uint32(raw)
	kind, seq, sum := Type(raw[4]), binary.BigEndian.Uint64(raw[5:]), binary.BigEndian.Uint32(raw[13:])
	if length > MaxPayload {
		return Frame{}, false, protocolErrorf("a frame of %d bytes", length)
	}
	if !kind.valid() {
		return Frame{}, false, protocolErrorf("a frame of unknown type %d", kind)
	}
	if seq != f.next {
		return Frame{}, false, protocolErrorf("frame %d where %d was due", seq, f.next)
	}
	whole := headerSize + int(length)
	if len(raw) < whole {
		return Frame{}, false, nil
	}
	raw = raw[:whole]
	crc := crc32.Update(crc32.Checksum(raw[4:13], f.table), f.table, raw[headerSize:])
	if crc != sum {
		return Frame{}, false, protocolErrorf("frame %d is damaged", seq)
	}
	f.start += whole
	f.next++
	return Frame{Type: kind, Payload: raw[headerSize:]}, true, nil
}

// Fill reads once, as much as there is. Frames returned before are no longer
// valid.
func (f *FrameReader) Fill() error {
	need := headerSize
	if rest := f.buffer[f.start:]; len(rest) >= headerSize {
		need += int(min(binary.BigEndian.Uint32(rest), MaxPayload))
	}
	f.makeRoom(need)
	n, err := f.r.Read(f.buffer[len(f.buffer):cap(f.buffer)])
	f.buffer = f.buffer[:len(f.buffer)+n]
	if n > 0 {
		return nil // an error comes again
	}
	if errors.Is(err, io.EOF) && len(f.buffer) > f.start {
		return io.ErrUnexpectedEOF
	}
	return err
}

// makeRoom makes sure that what is left can become n bytes. It is moved only
// where there is no room behind it.
func (f *FrameReader) makeRoom(n int) {
	rest := f.buffer[f.start:]
	if len(rest) > 0 && n <= cap(f.buffer)-f.start {
		return
	}
	if n > cap(f.buffer) {
		f.buffer = append(make([]byte, 0, max(n, 2*cap(f.buffer))), rest...)
	} else {
		f.buffer = append(f.buffer[:0], rest...)
	}
	f.start = 0
}
