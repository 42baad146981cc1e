package remote

import (
	"context"

	"mpf/remote/command"
)

// Local is the transport to this machine. The program that runs now is the
// agent: its main must ask agent.Invoked first.
type Local struct{ command.Local }

// Dial starts an agent.
func (t Local) Dial(ctx context.Context) (Stream, error) { return opened(t.Local.Dial(ctx)) }

// Via is the transport through a program that passes bytes on.
type Via struct{ command.Via }

// Dial starts an agent.
func (t Via) Dial(ctx context.Context) (Stream, error) { return opened(t.Via.Dial(ctx)) }

// opened gives a program's stream the type of this package.
func opened(s *command.Stream, err error) (Stream, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

var (
	_ Transport      = Local{}
	_ Transport      = Via{}
	_ VerifiedStream = (*command.Stream)(nil)
)
