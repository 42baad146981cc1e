package wire

import (
	"encoding/binary"
	"io"
	"sync/atomic"
	"time"
)

// A Conn exchanges messages. One goroutine may receive; any may send.
type Conn struct {
	reader *FrameReader
	heard  atomic.Int64 // when something of a frame came last, on the monotonic clock
	origin time.Time

	writer *FrameWriter
	sent   atomic.Int64 // bytes
}

// NewConn speaks on a stream whose preamble was exchanged.
func NewConn(r io.Reader, w io.Writer) *Conn {
	c := &Conn{reader: NewFrameReader(r), writer: NewFrameWriter(w), origin: time.Now()}
	c.heard.Store(0)
	return c
}

// Receive returns the next message. Its slices are valid until the next call.
func (c *Conn) Receive() (Message, error) {
	for {
		m, ok, err := c.Buffered()
		if ok || err != nil {
			return m, err
		}
		if err := c.Fill(); err != nil {
			return Message{}, err
		}
	}
}

// Buffered returns the next message if it was read already. Its slices are valid
// until the next call of Fill.
func (c *Conn) Buffered() (Message, bool, error) {
	frame, ok, err := c.reader.Next()
	if !ok {
		return Message{}, false, err
	}
	c.hear()
	m, err := ParseMessage(frame)
	return m, err == nil, err
}

// Fill reads once from the stream.
func (c *Conn) Fill() error {
	err := c.reader.Fill()
	if err == nil {
		c.hear()
	}
	return err
}

func (c *Conn) hear() { c.heard.Store(int64(time.Since(c.origin))) }

// Silence is how long ago something of a valid frame came. On a slow link one
// large frame takes longer than any lease; its head was checked when it came.
func (c *Conn) Silence() time.Duration {
	return time.Since(c.origin) - time.Duration(c.heard.Load())
}

// Sent counts the bytes of messages sent so far.
func (c *Conn) Sent() int64 { return c.sent.Load() }

// Hold leaves small messages to Flush where their sender, asked by held, says that
// it calls that soon. It is called before anything is sent.
func (c *Conn) Hold(held func() bool) { c.writer.held = held }

// Flush sends what was held.
func (c *Conn) Flush() error { return c.writer.Flush() }

// Send sends a message. Nil says that the connection took it, perhaps to be
// written by another Send that goes on: that it broke shows in the next one, and
// in Receive.
func (c *Conn) Send(m Message) error {
	var prefix [messagePrefix]byte
	binary.BigEndian.PutUint32(prefix[:], m.ID)
	binary.BigEndian.PutUint32(prefix[4:], uint32(len(m.Head)))
	c.sent.Add(int64(headerSize + messagePrefix + len(m.Head) + len(m.Body)))
	return c.writer.Write(m.Type, prefix[:], m.Head, m.Body)
}

// SendJSON sends a message with v, or what it points to, as its head.
func (c *Conn) SendJSON(t Type, id uint32, v any, body []byte) error {
	head, err := marshal(v)
	if err != nil {
		return err
	}
	return c.Send(Message{Type: t, ID: id, Head: head, Body: body})
}
