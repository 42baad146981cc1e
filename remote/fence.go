package remote

import (
	"context"

	"mpf/engine"
)

// An openAttempt is one on the host, and the boot in which it began.
type openAttempt struct {
	attempt engine.Attempt
	boot    string
}

func (h *Host) stillOpen() []openAttempt {
	h.mu.Lock()
	defer h.mu.Unlock()
	all := make([]openAttempt, 0, len(h.opened))
	for _, o := range h.opened {
		all = append(all, o)
	}
	return all
}

// settle keeps how an attempt was fenced until that is asked for.
func (h *Host) settle(nonce string, fenced engine.Fenced) {
	h.forget(nonce)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.fenced[nonce] = fenced
}

// settled returns it, once.
func (h *Host) settled(nonce string) (engine.Fenced, bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	fenced, ok := h.fenced[nonce]
	delete(h.fenced, nonce)
	return fenced, ok
}

func (h *Host) forget(nonce string) {
	h.mu.Lock()
	defer h.mu.Unlock()
	delete(h.opened, nonce)
}

// Fence makes sure that nothing of an attempt runs on the host any more.
func (h *Host) Fence(ctx context.Context, a engine.Attempt) (engine.Fenced, error) {
	h.mu.Lock()
	began, known := h.opened[a.Nonce]
	h.mu.Unlock()
	l, err := h.alive(ctx)
	if err != nil {
		return engine.Fenced{}, err
	}
	if fenced, ok := h.settled(a.Nonce); ok {
		return fenced, nil
	}
	if known && began.boot != l.Hello().BootID {
		h.forget(a.Nonce)
		return engine.Fenced{How: "rebooted"}, nil
	}
	fenced, err := l.Fence(ctx, a)
	if err == nil {
		h.forget(a.Nonce)
	}
	return fenced, err
}
