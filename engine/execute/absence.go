package execute

import (
	"context"
	"slices"

	"mpf/engine"
)

// An absence is what an attempt that hosts failed leaves to do: its end is
// recorded, but its hosts take no further attempt before they are back and
// nothing of it runs there any more.
type absence struct {
	attempt engine.Attempt
	hosts   []string // first the one that is blamed
	vigil   *vigil
}

// absence returns nil where no host was gone.
func (a *attempt) absence(s engine.Start, done engine.Done) *absence {
	if !engine.HostGone(done.Status, done.Cause) {
		return nil
	}
	return &absence{
		attempt: engine.Attempt{Run: s.Run.ID, Number: s.Attempt, Nonce: s.Nonce},
		hosts:   a.lostHosts(done.Host),
		vigil:   a.loop.newVigil(),
	}
}

// lostHosts lists the hosts of an attempt that could not end it, first the one
// that is blamed.
func (a *attempt) lostHosts(blamed string) []string {
	var names []string
	for _, name := range append([]string{blamed}, a.lost...) {
		if a.group.Hosts[name] != nil && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// regain waits for the hosts that the attempt before has lost, ends what is left
// of it there, and makes the group as it was. They are not given up while others
// still work.
func (w *worker) regain(ctx context.Context, s *shift) error {
	if w.absent == nil {
		return nil
	}
	w.absent.vigil.longer = s.others
	for len(w.absent.hosts) > 0 {
		err := s.wait(func(waiting context.Context) error {
			return w.fence(ctx, waiting, w.absent.attempt, w.absent.hosts[0], w.absent.vigil)
		})
		if err != nil {
			return err
		}
		w.absent.hosts = w.absent.hosts[1:]
	}
	if err := w.renew(ctx); err != nil {
		return err
	}
	w.absent = nil
	return nil
}
