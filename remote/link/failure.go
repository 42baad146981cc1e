package link

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"syscall"

	"mpf/engine"
	"mpf/remote/wire"
)

// failure makes the failure of an attempt whose host is out of reach.
func (l *Link) failure(cause engine.Cause, err error) *engine.Failure {
	return &engine.Failure{
		Status: engine.Unreachable, Cause: cause, Host: l.options.Host,
		Message: err.Error(), Err: err,
	}
}

// fault is the agent's own last word.
func (l *Link) fault(m wire.Message) error {
	var e wire.Error
	if err := m.Decode(&e); err != nil {
		return err
	}
	f := l.refusal(&e)
	if f.Status != engine.Unreachable {
		f.Status, f.Cause = engine.Unreachable, engine.CauseAgentDied
	}
	return f
}

// explain gives an error of the link its cause.
func (l *Link) explain(err error) error {
	var known *engine.Failure
	var protocol *wire.ProtocolError
	var late interface{ Timeout() bool }
	switch {
	case errors.As(err, &known), errors.Is(err, errClosed):
		return err
	case errors.As(err, &protocol):
		return l.failure(engine.CauseProtocol, err)
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, syscall.EPIPE):
		return l.failure(engine.CauseAgentDied, l.lastWords())
	case errors.As(err, &late) && late.Timeout():
		return l.failure(engine.CauseLease, err)
	}
	return l.failure(engine.CauseLink, err)
}

// lastWords is an error that says what the agent said before it ended.
func (l *Link) lastWords() error {
	if l.options.Diagnostics == nil {
		return errAgentEnded
	}
	if said := strings.TrimSpace(l.options.Diagnostics()); said != "" {
		return fmt.Errorf("%w; it said %q", errAgentEnded, said)
	}
	return errAgentEnded
}

var errAgentEnded = errors.New("the agent ended")

// refusal is an agent's error as a failure of the attempt.
func (l *Link) refusal(e *wire.Error) *engine.Failure {
	f := &engine.Failure{
		Status: engine.Status(e.Status), Cause: engine.Cause(e.Cause), Host: l.options.Host,
		Message: e.Message, Err: e,
	}
	if e.Missing {
		f.Err = fs.ErrNotExist
	}
	return f
}
