package link

import (
	"context"
	"maps"
	"slices"

	"mpf/remote/wire"
)

// Look reads the beginnings of the small files of the host that patterns match.
func (l *Link) Look(ctx context.Context, patterns ...string) ([]wire.File, error) {
	got, err := l.do(ctx, &wire.Request{Do: wire.OpLook, Paths: patterns}, nil, 0)
	if err != nil {
		return nil, err
	}
	var files []wire.File
	for _, path := range slices.Sorted(maps.Keys(got.Facts)) {
		if text, ok := got.Facts[path].(string); ok {
			files = append(files, wire.File{Path: path, Text: text})
		}
	}
	return files, nil
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
