package agentbin

import (
	"context"
	"errors"
	"fmt"
	"os"
	"runtime"
	"sync"
)

// Find returns the agent for hosts of a system, named as Go names them. Who asks
// for many hosts keeps a Finder.
func Find(ctx context.Context, goos, goarch string) (Binary, error) {
	return new(Finder).Find(ctx, goos, goarch)
}

// A Finder finds each agent once. The zero value is ready.
type Finder struct {
	mu    sync.Mutex
	found map[string]Binary
}

// Find returns the agent for hosts of a system, named as Go names them. Those
// who ask at once wait for the first.
func (f *Finder) Find(ctx context.Context, goos, goarch string) (Binary, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	key := goos + "/" + goarch
	if b, ok := f.found[key]; ok {
		return b, nil
	}
	b, err := find(ctx, goos, goarch)
	if err != nil {
		return Binary{}, fmt.Errorf("agent for %s: %w", key, err)
	}
	if f.found == nil {
		f.found = map[string]Binary{}
	}
	f.found[key] = b
	return b, nil
}

// find looks for the carried agent, unless there is source that it is not made
// of; then it makes one; then it looks at this program.
func find(ctx context.Context, goos, goarch string) (Binary, error) {
	source, sourceErr := findSource()
	carried, digest, carriedErr := carriedAgent(goos, goarch)
	if carriedErr == nil && (sourceErr != nil || digest == source.digest) {
		return carried, nil
	}
	made, madeErr := Binary{}, sourceErr
	if sourceErr == nil {
		made, madeErr = source.cached(ctx, goos, goarch)
	}
	switch {
	case madeErr == nil:
		return made, nil
	case ctx.Err() != nil:
		return Binary{}, ctx.Err()
	case carriedErr == nil:
		return carried, nil
	case goos == runtime.GOOS && goarch == runtime.GOARCH:
		return self()
	}
	return Binary{}, errors.Join(carriedErr, madeErr)
}

// self is the program that runs now.
func self() (Binary, error) {
	path, err := os.Executable()
	if err != nil {
		return Binary{}, err
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return Binary{}, err
	}
	return newBinary(content), nil
}
