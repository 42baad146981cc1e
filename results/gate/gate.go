// Package gate holds up what would be disturbed while something else is done.
package gate

import (
	"context"
	"sync"
)

// A Gate lets attempts in, or holds them up while something must not disturb
// them.
type Gate struct {
	mu     sync.Mutex
	change sync.Cond
	inside int
	shut   bool
}

// New returns an open gate.
func New() *Gate {
	g := &Gate{}
	g.change.L = &g.mu
	return g
}

// Enter waits until the gate is open.
func (g *Gate) Enter() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.shut {
		g.change.Wait()
	}
	g.inside++
}

// Leave lets whoever waits for that know that one less is inside.
func (g *Gate) Leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	g.change.Broadcast()
}

// Hold shuts the gate, waits until nobody is inside, does what it is for and
// opens the gate. It does nothing if ctx ends first.
func (g *Gate) Hold(ctx context.Context, do func()) {
	defer context.AfterFunc(ctx, func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.change.Broadcast()
	})()
	g.mu.Lock()
	g.shut = true
	for g.inside > 0 && ctx.Err() == nil {
		g.change.Wait()
	}
	g.mu.Unlock()
	if ctx.Err() == nil {
		do()
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.shut = false
	g.change.Broadcast()
}
