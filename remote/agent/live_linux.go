package agent

import (
	"sync/atomic"

	"mpf/remote/wire"
)

// liveQueue is how many pieces of live output may wait for the link.
const liveQueue = 256

// live sends output as it comes. A link that is too slow for it loses pieces
// here: what a command printed is sent whole when it ends.
type live struct {
	conn    *wire.Conn
	pieces  chan livePiece
	dropped atomic.Int64 // bytes
}

// A livePiece without data asks to be told when all before it was sent.
type livePiece struct {
	id      uint32
	stderr  bool
	data    []byte
	flushed chan<- struct{}
}

func newLive(c *wire.Conn) *live {
	l := &live{conn: c, pieces: make(chan livePiece, liveQueue)}
	go l.send()
	return l
}

func (l *live) send() {
	for p := range l.pieces {
		if p.flushed != nil {
			close(p.flushed)
			continue
		}
		// A broken link shows in Receive.
		_ = l.conn.SendJSON(wire.Output, p.id, wire.LiveOutput{Stderr: p.stderr}, p.data)
	}
}

func (l *live) watch(id uint32, stderr bool) func([]byte) {
	return func(data []byte) {
		select {
		case l.pieces <- livePiece{id: id, stderr: stderr, data: append([]byte(nil), data...)}:
		default:
			l.dropped.Add(int64(len(data)))
		}
	}
}

// flush waits until all that was taken is sent.
func (l *live) flush() {
	done := make(chan struct{})
	l.pieces <- livePiece{flushed: done}
	<-done
}

// close ends the sender. Nobody watches any more.
func (l *live) close() { close(l.pieces) }
