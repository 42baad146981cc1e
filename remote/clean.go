package remote

import (
	"context"
	"errors"
	"sync"

	"mpf/engine"
	"mpf/remote/inventory"
	"mpf/remote/traces"
)

// A Cleaned host is what of mpf was removed from it, and what stood in the way.
type Cleaned struct {
	Name    string
	Removed []traces.Trace
	Failure *engine.Failure // or nil
}

// Clean removes from the hosts of a cluster all that mpf left there, also what
// root was used for. The hosts come in the order of the cluster file; with an
// *UnreachableError come all of them as well.
func Clean(ctx context.Context, c *inventory.Cluster, o Options) ([]Cleaned, error) {
	w, err := newWays(c, o)
	if err != nil {
		return nil, err
	}
	hosts := o.chosen(c)
	cleaned := make([]Cleaned, len(hosts))
	var all sync.WaitGroup
	for i, h := range hosts {
		all.Go(func() { cleaned[i] = w.clean(ctx, h) })
	}
	all.Wait()
	var failures []*engine.Failure
	for _, one := range cleaned {
		if one.Failure != nil {
			failures = append(failures, one.Failure)
		}
	}
	if failures != nil {
		return cleaned, &UnreachableError{failures}
	}
	return cleaned, nil
}

// A cleaner is a transport that can remove what others of its kind left.
type cleaner interface {
	Clean(ctx context.Context, prefix ...string) ([]traces.Trace, error)
}

var (
	_ cleaner = Local{}
	_ cleaner = Via{}
	_ cleaner = sshTransport{}
)

// clean removes what the one who logs in left, and what the agent did as root.
func (w *ways) clean(ctx context.Context, h inventory.Host) Cleaned {
	result := Cleaned{Name: h.Name}
	transport, err := w.transport(ctx, h)
	if err == nil {
		prefixes := [][]string{nil}
		if as := becoming(h); as != nil && h.Way != inventory.ByExec { // there all is root's
			prefixes = append(prefixes, as)
		}
		for _, prefix := range prefixes {
			removed, cleanErr := transport.(cleaner).Clean(ctx, prefix...)
			result.Removed = append(result.Removed, removed...)
			err = errors.Join(err, cleanErr)
		}
	}
	if err != nil {
		result.Failure = failureOf(h.Name, err)
	}
	return result
}
