package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"mpf/engine"
	"mpf/remote/inventory"
	"mpf/remote/link"
	"mpf/remote/tune"
)

// tuning is what was declared of a host's settings, and what came of it. They
// are put back when the agent ends; one that is started anew is asked anew.
type tuning struct {
	wanted  *tune.Wanted // or nil: nothing
	applied *tune.Applied
}

// Tune makes the changes that are asked of the host, for as long as it is
// connected, and reads its facts anew. What it does not have comes back as
// engine.Mistakes.
func (h *Host) Tune(ctx context.Context, w tune.Wanted) error {
	if w.None() {
		return nil
	}
	l, err := h.alive(ctx)
	if err != nil {
		return err
	}
	if err := h.Untune(ctx); err != nil {
		return err
	}
	h.mu.Lock()
	h.tuning.wanted = &w
	h.mu.Unlock()
	if err := h.retune(ctx, l); err != nil {
		_, restoreErr := l.Restore(ctx)
		return errors.Join(err, restoreErr)
	}
	facts, err := l.Facts(ctx, h.spec.Tools)
	if err == nil {
		h.mu.Lock()
		h.facts = facts
		h.mu.Unlock()
	}
	return err
}

// retune makes the changes through a link.
func (h *Host) retune(ctx context.Context, l *link.Link) error {
	h.mu.Lock()
	w := h.tuning.wanted
	h.mu.Unlock()
	if w == nil {
		return nil
	}
	applied, err := tune.Apply(ctx, l, *w)
	h.mu.Lock()
	defer h.mu.Unlock()
	h.tuning.applied = applied
	return err
}

// Tuned lists the changes of the host.
func (h *Host) Tuned() []tune.Change {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.tuning.applied == nil {
		return nil
	}
	return slices.Clone(h.tuning.applied.Changes)
}

// Untune puts back what was changed. It does not connect again: without a link
// that was done on the host.
func (h *Host) Untune(ctx context.Context) error {
	h.mu.Lock()
	l, applied, wanted := h.link, h.tuning.applied, h.tuning.wanted
	h.tuning.wanted = nil
	h.mu.Unlock()
	if wanted == nil || applied == nil || l.Err() != nil {
		return nil
	}
	return applied.Restore(ctx, l, h.spec.Name)
}

// Tune makes on all hosts the changes that the cluster file declares of them. A
// mistake is one of the cluster file.
func (f *Fleet) Tune(ctx context.Context, c *inventory.Cluster) error {
	wanted, err := f.wanted(c)
	if err != nil {
		return err
	}
	var mistakes engine.Mistakes
	var others []*engine.Failure
	for i, err := range f.each(func(h *Host) error { return h.Tune(ctx, wanted[h.spec.Name]) }) {
		var some engine.Mistakes
		switch {
		case errors.As(err, &some):
			mistakes = append(mistakes, some...)
		case err != nil:
			others = append(others, failureOf(f.Reached[i].Name, err))
		}
	}
	if others != nil {
		return errors.Join(&UnreachableError{others}, mistakes.Err())
	}
	return mistakes.Err()
}

// Untune puts back what Tune changed.
func (f *Fleet) Untune(ctx context.Context) error {
	return errors.Join(f.each(func(h *Host) error { return h.Untune(ctx) })...)
}

// each calls do for all hosts that were reached, at once.
func (f *Fleet) each(do func(*Host) error) []error {
	errs := make([]error, len(f.Reached))
	var all sync.WaitGroup
	for i, r := range f.Reached {
		if r.Host != nil {
			all.Go(func() { errs[i] = do(r.Host) })
		}
	}
	all.Wait()
	return errs
}

// wanted lists what each host is asked for. What belongs to the whole machine is
// asked of one of its hosts.
func (f *Fleet) wanted(c *inventory.Cluster) (map[string]tune.Wanted, error) {
	all := map[string]tune.Wanted{}
	var mistakes engine.Mistakes
	machines := map[string]inventory.Setting{} // by boot and name
	owners := map[string]string{}
	for _, r := range f.Reached {
		h, _ := c.Host(r.Name) // a fleet is made of a cluster's hosts
		w := tune.Wanted{Host: r.Name, Interfaces: h.Interfaces}
		for _, s := range c.TuneOf(h) {
			key := r.Host.Info().BootID + " " + s.Name
			first, known := machines[key]
			switch {
			case strings.HasPrefix(s.Name, "net.") || strings.HasPrefix(s.Name, "net/"):
				w.Settings = append(w.Settings, s)
			case !known:
				machines[key], owners[key] = s, r.Name
				w.Settings = append(w.Settings, s)
			case first.Value != s.Value:
				mistakes = append(mistakes, engine.Mistake{Pos: s.Pos, Hint: "one machine has one value",
					Message: fmt.Sprintf("host %q: tune: %s %s: it is the machine of host %q, with %s %s", r.Name, s.Name, s.Value, owners[key], s.Name, first.Value)})
			default:
				w.Elsewhere = append(w.Elsewhere, tune.Change{Name: s.Name, Where: "host " + owners[key], After: s.Value})
			}
		}
		for _, l := range c.Links {
			if l.Shaped() && (l.Ends[0].Host == r.Name || l.Ends[1].Host == r.Name) {
				w.Links = append(w.Links, l)
			}
		}
		all[r.Name] = w
	}
	return all, mistakes.Err()
}
