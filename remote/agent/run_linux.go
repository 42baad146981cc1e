package agent

import (
	"io"

	"mpf/remote/wire"
)

// inline is how much output fits beside the exit in one message.
const inline = wire.MaxPayload / 2

// run executes a command to its end.
func (s *server) run(w *workspace, id uint32, c *wire.Command, stdin []byte) {
	p := w.newProcess(id, c)
	s.watchOutput(p)
	p.whenEnded = func() { s.ended(p, id) }
	if err := s.enter(id, &call{cancel: func() { p.stop() }}); err != nil {
		s.refuse(id, err)
		return
	}
	if err := p.start(c, stdin); err != nil {
		w.drop(p)
		s.refuse(id, err)
		return
	}
	if c.Timeout > 0 {
		p.after(c.Timeout, p.expire)
	}
}

// ended answers for a command that nobody can ask for afterwards.
func (s *server) ended(p *process, id uint32) {
	s.sendExit(p, id, func() {
		p.stdout.discard()
		p.stderr.discard()
	})
}

// sendExit sends all that was kept of a command's output, and its exit. What
// takes its time does not stop others meanwhile.
func (s *server) sendExit(p *process, id uint32, then func()) {
	out, errs := p.stdout.snapshot(), p.stderr.snapshot()
	send := func() {
		if p.owner.live != nil {
			p.owner.live.flush()
		}
		body := s.sendOutput(id, out, errs)
		s.reply(id, wire.Response{Exit: p.exit}, body)
		then()
	}
	if p.owner.live != nil || out.kept()+errs.kept() > inline {
		go send()
		return
	}
	send()
}

// sendOutput sends output that is too large for one message; what is not, it
// returns.
func (s *server) sendOutput(id uint32, out, errs snapshot) []byte {
	total := out.kept() + errs.kept()
	if total <= inline {
		return append(out.head[:len(out.head):len(out.head)], errs.head...)
	}
	// Errors of the link show in Receive; what of a file cannot be read is
	// missing in the reply, which the controller refuses.
	_ = s.conn.SendJSON(wire.Data, id, wire.Announced{Bytes: total}, nil)
	for _, part := range []snapshot{out, errs} {
		_, _ = dataWriter{s.conn, id}.Write(part.head)
		if part.tail != nil {
			_, _ = io.CopyBuffer(dataWriter{s.conn, id}, part.tail, make([]byte, 256<<10))
		}
	}
	return nil
}

// dataWriter sends what is written as Data messages.
type dataWriter struct {
	conn *wire.Conn
	id   uint32
}

func (d dataWriter) Write(p []byte) (int, error) {
	for at := 0; at < len(p); at += inline {
		part := p[at:min(len(p), at+inline)]
		if err := d.conn.Send(wire.Message{Type: wire.Data, ID: d.id, Body: part}); err != nil {
			return at, err
		}
	}
	return len(p), nil
}
