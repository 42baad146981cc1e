package link

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mpf/remote/wire"
)

// A call is a request that waits for its reply.
type call struct {
	do      wire.Operation
	replied chan answer
	stream  *wire.Stream                   // of the operations that have one
	sink    *readingSink                   // of OpOpen, or nil
	display func(stderr bool, data []byte) // or nil: shows a command's output as it comes
	follow  func(stderr bool, data []byte) // or nil: looks into it
	data    []byte                         // of an output too large for the reply
}

// An answer is a reply, or why there is none.
type answer struct {
	wire.Response
	body []byte
	came time.Time
	err  error
}

// mostOutput bounds what an agent may announce.
const mostOutput = 128 << 20

func (c *call) answer(a answer) {
	if c.stream != nil && a.err != nil {
		c.stream.Break(a.err)
	}
	c.replied <- a
}

// begin sends a request. The caller waits for c.replied, or leaves it.
func (l *Link) begin(r *wire.Request, body []byte, c *call) (uint32, error) {
	c.do, c.replied = r.Do, make(chan answer, 1)
	l.mu.Lock()
	if l.err != nil {
		defer l.mu.Unlock()
		return 0, l.err
	}
	l.last++
	id := l.last
	l.calls[id] = c
	if hasStream(r.Do) {
		c.stream = wire.NewStream(l.conn, id)
	}
	if c.sink != nil {
		l.sinks[id] = c.sink
	}
	if c.display != nil || c.follow != nil {
		l.shown[id] = c
	}
	l.mu.Unlock()
	if err := l.conn.SendJSON(wire.Call, id, r, body); err != nil {
		l.mu.Lock()
		delete(l.calls, id)
		l.mu.Unlock()
		return 0, l.unsent(err)
	}
	return id, nil
}

// unsent says why a message could not be sent: it was too long, or the link is
// over. What the agent said last tells more of that, should it still come.
func (l *Link) unsent(err error) error {
	if errors.Is(err, wire.ErrTooLong) {
		return err
	}
	select {
	case <-l.over:
	case <-time.After(min(l.options.Beat, time.Second)):
		l.end(err)
	}
	return l.Err()
}

func hasStream(do wire.Operation) bool {
	return do == wire.OpPut || do == wire.OpGet || do == wire.OpRead
}

// do sends a request and waits for its reply. When the context ends the agent is
// asked to end the call as well, and gets the patience to do so.
func (l *Link) do(ctx context.Context, r *wire.Request, body []byte, patience time.Duration) (answer, error) {
	c := &call{}
	id, err := l.begin(r, body, c)
	if err != nil {
		return answer{}, err
	}
	return l.await(ctx, id, c, patience)
}

func (l *Link) await(ctx context.Context, id uint32, c *call, patience time.Duration) (answer, error) {
	select {
	case a := <-c.replied:
		return a, a.err
	case <-ctx.Done():
	}
	l.cancel(id)
	late := time.NewTimer(patience)
	defer late.Stop()
	select {
	case a := <-c.replied:
		if a.err != nil {
			return a, a.err
		}
		return a, ctx.Err()
	case <-late.C:
		return answer{}, ctx.Err()
	}
}

// cancel asks the agent to end a call. A link that is broken shows in receive.
func (l *Link) cancel(id uint32) {
	go l.conn.Send(wire.Message{Type: wire.Cancel, ID: id})
}

// takeForCall hands a message to the call that it belongs to.
func (l *Link) takeForCall(m wire.Message) error {
	l.mu.Lock()
	c := l.calls[m.ID]
	if m.Type == wire.Reply {
		delete(l.calls, m.ID)
	}
	l.mu.Unlock()
	switch {
	case c == nil && m.Type != wire.Reply:
		return nil // of a call that was left
	case c == nil:
		return &wire.ProtocolError{What: fmt.Sprintf("a second reply to call %d", m.ID)}
	}
	if m.Type == wire.Reply {
		return l.takeReply(m, c)
	}
	if c.stream != nil {
		return c.stream.Deliver(m)
	}
	return c.takeData(m)
}

func (l *Link) takeReply(m wire.Message, c *call) error {
	a := answer{came: time.Now()}
	if err := m.Decode(&a.Response); err != nil {
		c.answer(answer{err: l.explain(err)}) // no other answer will come
		return err
	}
	if a.Error != nil {
		a.err = l.refusal(a.Error)
	}
	if a.body = c.data; len(m.Body) > 0 {
		a.body = append(a.body, m.Body...)
	}
	c.answer(a)
	return nil
}

// takeData takes output that does not fit in the reply. It is announced first.
func (c *call) takeData(m wire.Message) error {
	if len(m.Head) > 0 {
		var announced wire.Announced
		if err := m.Decode(&announced); err != nil {
			return err
		}
		if announced.Bytes < 0 || announced.Bytes > mostOutput || c.data != nil {
			return &wire.ProtocolError{What: fmt.Sprintf("an output of %d bytes", announced.Bytes)}
		}
		c.data = make([]byte, 0, announced.Bytes)
		return nil
	}
	if len(c.data)+len(m.Body) > cap(c.data) {
		return &wire.ProtocolError{What: "more output than was announced"}
	}
	c.data = append(c.data, m.Body...)
	return nil
}

// takeOutput passes on what a command printed. Pieces of one that ended
// meanwhile are late, and not wrong.
func (l *Link) takeOutput(m wire.Message) error {
	var live wire.LiveOutput
	if err := m.Decode(&live); err != nil {
		return err
	}
	l.mu.Lock()
	c := l.shown[m.ID]
	l.mu.Unlock()
	switch {
	case c == nil:
	case live.Followed && c.follow != nil:
		c.follow(live.Stderr, m.Body)
	case !live.Followed && c.display != nil:
		c.display(live.Stderr, m.Body)
	}
	return nil
}

// forget drops what was kept for calls beyond their replies.
func (l *Link) forget(ids ...uint32) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, id := range ids {
		delete(l.sinks, id)
		delete(l.shown, id)
	}
}
