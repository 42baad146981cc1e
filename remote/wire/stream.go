package wire

import (
	"encoding/json"
	"io"
	"sync"
)

// Window is how many bytes of a stream may be on their way to a reader that
// does not read.
const Window = 4 << 20

// chunk is how much of a stream goes in one message: with what is around it,
// what fills eight packets of ssh.
const chunk = 256<<10 - headerSize - messagePrefix

// A Stream is the byte stream of one call, in both directions, over a Conn. A
// slow reader slows its writer down and nobody else.
type Stream struct {
	conn *Conn
	id   uint32

	mu      sync.Mutex
	changed sync.Cond
	queue   [][]byte // came, not yet read
	begin   int      // of what is not yet read in the first of them
	spare   [][]byte // were read, to hold what comes
	queued  int
	unacked int   // read, not yet credited
	credit  int   // bytes that may be sent
	ended   bool  // the other end's half
	broken  error // both halves
}

// NewStream begins the stream of a call.
func NewStream(c *Conn, id uint32) *Stream {
	s := &Stream{conn: c, id: id, credit: Window}
	s.changed.L = &s.mu
	return s
}

// Deliver takes a message of the stream. It never blocks.
func (s *Stream) Deliver(m Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	defer s.changed.Broadcast()
	switch m.Type {
	case Data:
		if s.ended || s.queued+len(m.Body) > Window {
			return protocolErrorf("more bytes of stream %d than were credited", s.id)
		}
		if s.broken == nil {
			s.queue = append(s.queue, append(s.emptied(), m.Body...))
			s.queued += len(m.Body)
		}
	case End:
		s.ended = true
	case Credit:
		var n int
		if err := m.Decode(&n); err != nil {
			return err
		}
		if n < 0 || s.credit+n > Window {
			return protocolErrorf("a credit of %d for stream %d", n, s.id)
		}
		s.credit += n
	}
	return nil
}

// emptied returns memory of what was read already, or none.
func (s *Stream) emptied() []byte {
	last := len(s.spare) - 1
	if last < 0 {
		return nil
	}
	piece := s.spare[last]
	s.spare = s.spare[:last]
	return piece
}

// Read implements io.Reader.
func (s *Stream) Read(p []byte) (int, error) {
	n, credit, err := s.take(p)
	if credit > 0 {
		head, _ := json.Marshal(credit) // an int has a text
		if sendErr := s.conn.Send(Message{Type: Credit, ID: s.id, Head: head}); sendErr != nil {
			return n, sendErr
		}
	}
	return n, err
}

func (s *Stream) take(p []byte) (n, credit int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for len(s.queue) == 0 && s.broken == nil && !s.ended {
		s.changed.Wait()
	}
	switch {
	case s.broken != nil:
		return 0, 0, s.broken
	case len(s.queue) == 0:
		return 0, 0, io.EOF
	}
	n = copy(p, s.queue[0][s.begin:])
	if s.begin += n; s.begin == len(s.queue[0]) {
		s.spare = append(s.spare, s.queue[0][:0])
		s.queue, s.begin = s.queue[1:], 0
	}
	s.queued -= n
	if s.unacked += n; s.unacked >= Window/4 {
		credit, s.unacked = s.unacked, 0
	}
	return n, credit, nil
}

// Write implements io.Writer; it waits for credit.
func (s *Stream) Write(p []byte) (int, error) {
	written := 0
	for written < len(p) {
		n, err := s.spend(min(len(p)-written, chunk))
		if err != nil {
			return written, err
		}
		if err := s.conn.Send(Message{Type: Data, ID: s.id, Body: p[written : written+n]}); err != nil {
			return written, err
		}
		written += n
	}
	return written, nil
}

func (s *Stream) spend(want int) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for s.credit == 0 && s.broken == nil {
		s.changed.Wait()
	}
	if s.broken != nil {
		return 0, s.broken
	}
	n := min(want, s.credit)
	s.credit -= n
	return n, nil
}

// CloseWrite ends this end's half.
func (s *Stream) CloseWrite() error {
	return s.conn.Send(Message{Type: End, ID: s.id})
}

// Break makes every Read and Write, waiting ones too, return err.
func (s *Stream) Break(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.broken == nil {
		s.broken = err
	}
	s.changed.Broadcast()
}
