package link

import (
	"context"
	"slices"
	"strings"

	"mpf/remote/wire"
)

// Look reads the beginnings of the small files of the host that patterns match.
func (l *Link) Look(ctx context.Context, patterns ...string) ([]wire.File, error) {
	got, err := l.do(ctx, &wire.Request{Do: wire.OpLook, Paths: patterns}, nil, 0)
	if err != nil {
		return nil, err
	}
	files, err := wire.ParseFiles(got.body)
	if err != nil {
		return nil, l.explain(err)
	}
	slices.SortFunc(files, func(a, b wire.File) int { return strings.Compare(a.Path, b.Path) })
	return slices.CompactFunc(files, func(a, b wire.File) bool { return a.Path == b.Path }), nil
}

// Ask runs a program on the host, outside of all attempts, and returns what it
// printed.
func (l *Link) Ask(ctx context.Context, argv ...string) (string, error) {
	got, err := l.do(ctx, &wire.Request{Do: wire.OpLook, Command: &wire.Command{Argv: argv}}, nil, 0)
	return got.Message, err
}

// Keep gives the host a script that is run when the agent ends, however it does,
// in place of one that was given before.
func (l *Link) Keep(ctx context.Context, script string) error {
	_, err := l.do(ctx, &wire.Request{Do: wire.OpKeep}, []byte(script), 0)
	return err
}

// Restore runs the script now and returns what it printed.
func (l *Link) Restore(ctx context.Context) (string, error) {
	got, err := l.do(ctx, &wire.Request{Do: wire.OpRestore}, nil, 0)
	return got.Message, err
}
