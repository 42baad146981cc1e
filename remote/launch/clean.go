package launch

import "context"

// Clean removes all that mpf left on the host.
func (l *Launcher) Clean(ctx context.Context) error {
	conn, err := l.Dialer.Dial(ctx, l.Destination)
	if err != nil {
		return err
	}
	defer conn.Close()
	session, err := conn.Start(ctx, `sh -c 'rm -rf "$HOME/`+cacheDir+`"'`)
	if err != nil {
		return l.failure(ctx, err)
	}
	defer session.Close()
	if err := session.Wait(); err != nil {
		return l.failure(ctx, err)
	}
	return nil
}
