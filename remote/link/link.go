package link

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"sync"
	"time"

	"mpf/engine"
	"mpf/remote/wire"
)

// Options say how a link behaves. All times must be set.
type Options struct {
	Host     string // its name, for messages
	Engine   string // who asks, for other campaigns' messages
	Campaign string
	Shared   bool
	Covered  bool   // another host of the campaign locks the machine
	SHA256   string // that the agent must have, or empty
	Beat     time.Duration
	Lease    time.Duration
	Grace    time.Duration
	GiveUp   time.Duration

	Diagnostics func() string        // what the agent said on stderr
	Slept       func() time.Duration // how long this machine was suspended so far; nil: ask it
}

// preambleLimit is how long an agent may take to answer.
const preambleLimit = 10 * time.Second

// A Link is a connection to an agent.
type Link struct {
	options Options
	stream  io.Closer
	conn    *wire.Conn
	hello   wire.AgentHello
	clock   clock

	mu    sync.Mutex
	calls map[uint32]*call
	last  uint32
	sinks map[uint32]*readingSink // of workspaces
	shown map[uint32]*call        // commands whose output is wanted as it comes
	err   error                   // why the link is over
	over  chan struct{}
	slept time.Duration // what Slept said at the last beat
	tasks sync.WaitGroup
}

// Open shakes hands over a stream to an agent. It closes the stream if that
// fails.
func Open(ctx context.Context, stream io.ReadWriteCloser, o Options) (*Link, error) {
	l := &Link{
		options: o, stream: stream,
		calls: map[uint32]*call{}, sinks: map[uint32]*readingSink{}, shown: map[uint32]*call{},
		over: make(chan struct{}),
	}
	if o.Slept == nil {
		l.options.Slept = sleptSoFar
	}
	l.slept = l.options.Slept()
	ctx, cancel := context.WithTimeout(ctx, preambleLimit+o.GiveUp)
	defer cancel()
	stop := context.AfterFunc(ctx, func() { stream.Close() })
	err := l.shakeHands(stream)
	if !stop() && ctx.Err() != nil {
		err = l.failure(engine.CauseLink, fmt.Errorf("the agent did not answer: %w", ctx.Err()))
	}
	if err != nil {
		stream.Close()
		return nil, l.explain(err)
	}
	l.tasks.Go(l.receive)
	l.tasks.Go(l.beat)
	return l, nil
}

func (l *Link) shakeHands(stream io.ReadWriter) error {
	if err := l.identify(stream); err != nil {
		return err
	}
	l.conn = wire.NewConn(stream, stream)
	err := l.conn.SendJSON(wire.Hello, 0, wire.ControllerHello{
		Host: l.options.Host, Engine: l.options.Engine, Campaign: l.options.Campaign, Shared: l.options.Shared, Covered: l.options.Covered,
		Beat: l.options.Beat, Lease: l.options.Lease, Grace: l.options.Grace,
	}, nil)
	if err != nil {
		return err
	}
	m, err := l.conn.Receive()
	if err != nil {
		return err
	}
	switch m.Type {
	case wire.Hello:
		return m.Decode(&l.hello)
	case wire.Fault:
		return l.fault(m)
	}
	return &wire.ProtocolError{What: fmt.Sprintf("a message of type %d in place of the hello", m.Type)}
}

// identify exchanges greeting and preamble.
func (l *Link) identify(stream io.ReadWriter) error {
	greeting := wire.Greeting{Token: rand.Text(), Hash: l.options.SHA256 != ""}
	if _, err := io.WriteString(stream, greeting.String()); err != nil {
		return err
	}
	p, err := wire.ReadPreamble(stream, greeting.Token)
	if err != nil {
		return err
	}
	if greeting.Hash && p.SHA256 != l.options.SHA256 {
		return &wire.ProtocolError{What: fmt.Sprintf("an agent with sha256 %s, where %s was started", p.SHA256, l.options.SHA256)}
	}
	return nil
}

// Hello is what the agent said of itself and its host.
func (l *Link) Hello() wire.AgentHello { return l.hello }

// Over is closed when the link ended; Err then says why.
func (l *Link) Over() <-chan struct{} { return l.over }

// Err is why the link ended, or nil.
func (l *Link) Err() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.err
}

// errClosed is the end that was asked for.
var errClosed = errors.New("the link was closed")

// Close ends the link, and with it the agent and all that it runs.
func (l *Link) Close() error {
	l.end(errClosed)
	l.tasks.Wait()
	return nil
}

// receive takes messages until the link ends.
func (l *Link) receive() {
	for {
		m, err := l.conn.Receive()
		if err == nil {
			err = l.take(m)
		}
		if err != nil {
			l.end(err)
			return
		}
	}
}

// beat keeps the agent alive and watches for its silence.
func (l *Link) beat() {
	ticker := time.NewTicker(l.options.Beat)
	defer ticker.Stop()
	for {
		select {
		case <-ticker.C:
			if err := l.overslept(); err != nil {
				l.end(err)
				return
			}
			if silence := l.conn.Silence(); silence > l.options.GiveUp {
				l.end(l.failure(engine.CauseLease, fmt.Errorf("nothing was heard for %s", silence.Round(time.Second))))
				return
			}
			// Sending may block on a dead link, and the watch must go on.
			go l.sendBeat()
		case <-l.over:
			return
		}
	}
}

// sendBeat also finds a link that broke while one call wrote for others.
func (l *Link) sendBeat() {
	if err := l.conn.Send(wire.Message{Type: wire.Beat}); err != nil {
		_ = l.unsent(err) // who waits is told
	}
}

// end breaks the link once and answers all calls with the reason.
func (l *Link) end(reason error) {
	l.mu.Lock()
	if l.err != nil {
		l.mu.Unlock()
		return
	}
	l.err = l.explain(reason)
	if slept := l.oversleptLocked(); slept != nil && !errors.Is(reason, errClosed) {
		l.err = slept
	}
	calls := l.calls
	l.calls = nil
	l.mu.Unlock()
	close(l.over)
	for _, c := range calls {
		c.answer(answer{err: l.err})
	}
	l.stream.Close() // nobody waits for its error: the link is over
}

// take handles one message of the agent.
func (l *Link) take(m wire.Message) error {
	switch m.Type {
	case wire.Beat:
		return nil
	case wire.Fault:
		return l.fault(m)
	case wire.Reading:
		return l.takeReading(m)
	case wire.Output:
		return l.takeOutput(m)
	case wire.Reply, wire.Data, wire.End, wire.Credit:
		return l.takeForCall(m)
	}
	return &wire.ProtocolError{What: fmt.Sprintf("a message of type %d from the agent", m.Type)}
}
