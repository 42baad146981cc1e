package campaign

import (
	"context"
	"sync"
)

// A gate lets attempts in, or holds them up while something must not disturb
// them.
type gate struct {
	mu     sync.Mutex
	change sync.Cond
	inside int
	shut   bool
}

func newGate() *gate {
	g := &gate{}
	g.change.L = &g.mu
	return g
}

// enter waits until the gate is open.
func (g *gate) enter() {
	g.mu.Lock()
	defer g.mu.Unlock()
	for g.shut {
		g.change.Wait()
	}
	g.inside++
}

func (g *gate) leave() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.inside--
	g.change.Broadcast()
}

// hold shuts the gate, waits until nobody is inside, does what it is for and
// opens the gate. It does nothing if ctx ends first.
func (g *gate) hold(ctx context.Context, do func()) {
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
