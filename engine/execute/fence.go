package execute

import (
	"context"
	"errors"

	"mpf/engine"
)

// endEarlier makes sure that nothing of earlier invocations runs any more.
func (l *Loop) endEarlier(ctx context.Context) error {
	if err := l.abandonUnfinished(ctx); err != nil {
		return err
	}
	lost, err := l.Ledger.Unfenced()
	if err != nil {
		return storageOr(ctx, err)
	}
	for _, start := range lost {
		for _, name := range hostNames(start) {
			if l.workerOf(name) == nil {
				continue // nothing starts there
			}
			if err := l.fence(ctx, start, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// abandonUnfinished makes sure that what an engine died with is over on its
// hosts, and closes it in the ledger. A host that is no longer in the cluster
// or that stays away leaves its attempts unfinished: their runs must not start
// again before it was asked.
func (l *Loop) abandonUnfinished(ctx context.Context) error {
	for _, start := range l.Ledger.Unfinished() {
		for _, name := range hostNames(start) {
			if err := l.fence(ctx, start, name); err != nil {
				return err
			}
		}
		if err := l.Ledger.Abandon(ctx, start); err != nil {
			return storageOr(ctx, err)
		}
	}
	return nil
}

func hostNames(s engine.Start) []string {
	seen := map[string]bool{}
	var names []string
	for _, pair := range s.Hosts {
		if !seen[pair.Host] {
			seen[pair.Host] = true
			names = append(names, pair.Host)
		}
	}
	return names
}

func (l *Loop) fence(ctx context.Context, start engine.Start, name string) error {
	worker := l.workerOf(name)
	if worker == nil {
		return &HostLost{Host: name, Err: errNotInCluster}
	}
	attempt := engine.Attempt{Run: start.Run.ID, Number: start.Attempt, Nonce: start.Nonce}
	return worker.fence(ctx, ctx, attempt, name, l.newVigil())
}

// fence waits for a host, makes sure that nothing of an attempt runs there any
// more, and records it. The wait may end before ctx does.
func (w *worker) fence(ctx, waiting context.Context, a engine.Attempt, name string, v *vigil) error {
	host, fenced := w.group.Hosts[name], engine.Fenced{}
	err := w.await(waiting, name, v, func() (err error) {
		if err = host.Reach(waiting); err == nil {
			fenced, err = host.Fence(waiting, a)
		}
		return err
	})
	if err != nil {
		return err
	}
	if err := w.loop.Ledger.Fence(context.WithoutCancel(ctx), a, name, fenced); err != nil {
		return storageOr(ctx, err)
	}
	w.loop.Watch.Back(name, fenced)
	return nil
}

var errNotInCluster = errors.New("a run was under way there when mpf died, and the cluster file no longer has it: add it again, or begin anew with --new")

func (l *Loop) workerOf(host string) *worker {
	for _, w := range l.workers(&groundwork{}) {
		if w.group.Hosts[host] != nil {
			return w
		}
	}
	return nil
}
