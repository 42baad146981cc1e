package wire

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"io"
	"sync"
)

// together is how much is copied to be written at once: what one packet of ssh
// takes.
const together = 32 << 10

// ErrTooLong says that a message was not sent because of its length; those that
// follow are.
var ErrTooLong = fmt.Errorf("more than the %d of a message", MaxPayload)

// A FrameWriter writes frames, for any number of goroutines. Those that come while
// earlier ones are written are written together: with many calls in flight, a
// packet for each would cost more than they do.
type FrameWriter struct {
	w     io.Writer
	table *crc32.Table
	held  func() bool // or nil: whether who writes calls Flush later

	mu      sync.Mutex
	moved   sync.Cond // what was filled is taken, or nobody writes any more
	next    uint64
	filled  []byte // frames that nobody writes yet
	spare   []byte
	writing bool
	broken  error
}

// NewFrameWriter writes frames to w, beginning with number 0.
func NewFrameWriter(w io.Writer) *FrameWriter {
	f := &FrameWriter{w: w, table: crc32.MakeTable(crc32.Castagnoli)}
	f.moved.L = &f.mu
	return f
}

// Write writes the parts as the payload of one frame, or leaves that to a Write
// that goes on, or to Flush. After an error every call returns that error.
func (f *FrameWriter) Write(kind Type, parts ...[]byte) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	tail, err := f.enter(kind, parts)
	if err != nil {
		return err
	}
	held := len(tail) == 0 && f.held != nil && f.held()
	if !f.writing && !held {
		f.drain(tail)
	}
	return f.broken
}

// Flush writes what was added.
func (f *FrameWriter) Flush() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.writing {
		f.drain(nil)
	}
	return f.broken
}

// enter encodes a frame once there is room for it. One that is large has to be
// alone: it returns what the caller must write behind what is filled.
func (f *FrameWriter) enter(kind Type, parts [][]byte) ([]byte, error) {
	length := 0
	for _, part := range parts {
		length += len(part)
	}
	if length > MaxPayload {
		return nil, fmt.Errorf("%d bytes, %w", length, ErrTooLong)
	}
	for f.broken == nil && f.writing && len(f.filled)+headerSize+length > together {
		f.moved.Wait()
	}
	if f.broken != nil {
		return nil, f.broken
	}
	return f.encode(kind, length, parts), nil
}

// encode appends a frame to what is filled, and returns the end of its last part
// where that is too long to be copied.
func (f *FrameWriter) encode(kind Type, length int, parts [][]byte) (tail []byte) {
	start := len(f.filled)
	b := append(f.filled, make([]byte, headerSize)...)
	for i, part := range parts {
		if room := together - len(b); i == len(parts)-1 && 0 <= room && room < len(part) {
			part, tail = part[:room], part[room:]
		}
		b = append(b, part...)
	}
	f.filled = b
	b = b[start:]
	binary.BigEndian.PutUint32(b, uint32(length))
	b[4] = byte(kind)
	binary.BigEndian.PutUint64(b[5:], f.next)
	crc := crc32.Update(crc32.Checksum(b[4:13], f.table), f.table, b[headerSize:])
	binary.BigEndian.PutUint32(b[13:], crc32.Update(crc, f.table, tail))
	f.next++
	return tail
}

// drain writes what is filled and the tail of its last frame, and then what others
// left here meanwhile.
func (f *FrameWriter) drain(tail []byte) {
	f.writing = true
	for f.broken == nil && len(f.filled) > 0 {
		frames := f.filled
		f.filled, f.spare = f.spare[:0], nil
		f.moved.Broadcast()
		f.mu.Unlock()
		_, err := f.w.Write(frames)
		if err == nil && len(tail) > 0 {
			_, err = f.w.Write(tail)
		}
		f.mu.Lock()
		f.spare, f.broken, tail = frames, err, nil
	}
	f.writing = false
	f.moved.Broadcast()
}
