package client

import (
	"context"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"sync"
	"syscall"
	"time"
)

// maxKnocking is how many connections one server is asked for at once: sshd
// begins to refuse at the tenth that has not logged in (MaxStartups).
const maxKnocking = 8

// pauses are waited for between tries at a server that has too many callers,
// each up to half as long again.
var pauses = [...]time.Duration{
	100 * time.Millisecond, 200 * time.Millisecond, 400 * time.Millisecond, 800 * time.Millisecond,
	1600 * time.Millisecond, 3200 * time.Millisecond, 3200 * time.Millisecond,
}

// gates hold one gate a server.
type gates struct {
	lock sync.Mutex
	all  map[string]gate
}

// A gate lets in maxKnocking at a time.
type gate chan struct{}

func (g *gates) at(addr string) gate {
	g.lock.Lock()
	defer g.lock.Unlock()
	if g.all == nil {
		g.all = map[string]gate{}
	}
	if g.all[addr] == nil {
		g.all[addr] = make(gate, maxKnocking)
	}
	return g.all[addr]
}

func (g gate) enter(ctx context.Context) error {
	select {
	case g <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

func (g gate) leave() { <-g }

// pause waits before another try.
func pause(ctx context.Context, try int) error {
	d := pauses[try]
	timer := time.NewTimer(d + rand.N(d/2))
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// isBusy reports whether a server hung up before it said who it is, as sshd
// does to callers beyond MaxStartups.
func isBusy(err error) bool {
	if strings.Contains(err.Error(), "MaxStartups") {
		return true
	}
	early := errors.Is(err, io.EOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
	return early && strings.Contains(err.Error(), "handshake failed")
}
