package launch

import (
	"context"
	"errors"
	"io"

	"golang.org/x/crypto/ssh"

	"mpf/remote/traces"
)

// Clean removes all that mpf left on the host, and returns what that was. It is
// done through the prefix: words that sh takes as they are, or none.
func (l *Launcher) Clean(ctx context.Context, prefix ...string) ([]traces.Trace, error) {
	conn, err := l.Dialer.Dial(ctx, l.Destination)
	if err != nil {
		return nil, err
	}
	defer conn.Close()
	session, err := conn.Start(ctx, words(prefix)+"sh -c '"+traces.Script+"'")
	if err != nil {
		return nil, l.failure(ctx, err)
	}
	defer session.Close()
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	defer stop()
	printed, err := io.ReadAll(session)
	var exit *ssh.ExitError
	if err = errors.Join(err, session.Wait()); err != nil && !errors.As(err, &exit) {
		return nil, l.failure(ctx, err)
	}
	if exit != nil {
		return nil, l.failure(ctx, noise(string(printed), io.EOF, session.Diagnostics()))
	}
	return traces.Parse(string(printed))
}
