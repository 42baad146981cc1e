package execute

import (
	"context"
	"errors"

	"mpf/engine"
)

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
	if err := worker.await(ctx, name); err != nil {
		return err
	}
	attempt := engine.Attempt{Run: start.Run.ID, Number: start.Attempt, Nonce: start.Nonce}
	fenced, err := worker.group.Hosts[name].Fence(ctx, attempt)
	if err != nil {
		return &HostLost{Host: name, Err: err}
	}
	if err := l.Ledger.Fence(ctx, attempt, name, fenced); err != nil {
		return storageOr(ctx, err)
	}
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
