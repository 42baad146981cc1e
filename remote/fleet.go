package remote

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"mpf/engine"
	"mpf/remote/inventory"
)

// Options say how a cluster is reached.
type Options struct {
	Hosts     []string // names of those to reach; nil: all
	Shared    bool     // other campaigns may use the hosts meanwhile
	AcceptNew bool     // keys of hosts never seen before are taken and noted
	Tools     []string // programs whose versions are facts
	Link      LinkOptions
}

// chosen lists the hosts of a cluster that are meant, in its order.
func (o Options) chosen(c *inventory.Cluster) []inventory.Host {
	var hosts []inventory.Host
	for _, h := range c.Hosts {
		if o.Hosts == nil || slices.Contains(o.Hosts, h.Name) {
			hosts = append(hosts, h)
		}
	}
	return hosts
}

// A Fleet is the hosts of a cluster, each with an agent or the reason why not.
type Fleet struct {
	Reached  []Reached // in the order of the cluster file
	Warnings []string
}

// A Reached is a host and what came of reaching it. One of Host and Failure is
// set.
type Reached struct {
	Name    string
	Host    *Host
	Failure *engine.Failure
	Took    time.Duration
}

// An UnreachableError is all hosts that could not be reached.
type UnreachableError struct{ Failures []*engine.Failure }

func (e *UnreachableError) Error() string {
	lines := make([]string, len(e.Failures))
	for i, f := range e.Failures {
		lines[i] = f.Error()
	}
	return strings.Join(lines, "\n")
}

// Unwrap gives errors.Is and errors.As the failures.
func (e *UnreachableError) Unwrap() []error {
	all := make([]error, len(e.Failures))
	for i, f := range e.Failures {
		all[i] = f
	}
	return all
}

// Open reaches the hosts of a cluster, all at once. With an *UnreachableError
// comes a fleet of those that could be reached; it is to be closed as well.
func Open(ctx context.Context, c *inventory.Cluster, o Options) (*Fleet, error) {
	ways, err := newWays(c, o)
	if err != nil {
		return nil, err
	}
	hosts := o.chosen(c)
	f := &Fleet{Reached: make([]Reached, len(hosts))}
	var all sync.WaitGroup
	for i, h := range hosts {
		all.Go(func() { f.Reached[i] = ways.reach(ctx, h) })
	}
	all.Wait()
	f.Warnings = slices.Concat(ways.warnings(), f.twins(), f.left())
	return f, f.failure()
}

func (w *ways) reach(ctx context.Context, h inventory.Host) Reached {
	begun := time.Now()
	r := Reached{Name: h.Name}
	var err error
	if transport, wayErr := w.transport(ctx, h); wayErr != nil {
		err = wayErr
	} else {
		r.Host, err = Connect(ctx, transport, w.spec(ctx, h), w.options.Link)
	}
	r.Took = time.Since(begun)
	if err != nil {
		r.Host, r.Failure = nil, failureOf(h.Name, err)
	}
	return r
}

// failureOf names the host in what is said of it.
func failureOf(host string, err error) *engine.Failure {
	f := engine.Failure{Status: engine.Unreachable, Cause: engine.CauseLink, Message: err.Error()}
	var known *engine.Failure
	if errors.As(err, &known) {
		f = *known
	}
	if f.Host == "" {
		f.Host = host
	}
	f.Err = err
	return &f
}

func (f *Fleet) failure() error {
	var failures []*engine.Failure
	for _, r := range f.Reached {
		if r.Failure != nil {
			failures = append(failures, r.Failure)
		}
	}
	if failures == nil {
		return nil
	}
	return &UnreachableError{failures}
}

// twins finds machines that are in the fleet under several names, which spoil
// each other's figures.
func (f *Fleet) twins() []string {
	names := map[string][]string{}
	var boots []string
	for _, r := range f.Reached {
		if r.Host == nil || r.Host.Info().BootID == "" {
			continue
		}
		boot := r.Host.Info().BootID
		if names[boot] == nil {
			boots = append(boots, boot)
		}
		names[boot] = append(names[boot], r.Name)
	}
	var warnings []string
	for _, boot := range boots {
		if len(names[boot]) > 1 {
			warnings = append(warnings, fmt.Sprintf("hosts %s are one machine: what runs on one is felt on the others", strings.Join(names[boot], ", ")))
		}
	}
	return warnings
}

// left says what agents that were killed had left changed on the hosts.
func (f *Fleet) left() []string {
	var warnings []string
	for _, r := range f.Reached {
		if r.Host == nil {
			continue
		}
		for _, line := range r.Host.link.Hello().Restored {
			warnings = append(warnings, fmt.Sprintf("host %q: an earlier campaign left settings changed: %s", r.Name, line))
		}
	}
	return warnings
}

// Host returns a host that was reached, or nil.
func (f *Fleet) Host(name string) engine.Host {
	for _, r := range f.Reached {
		if r.Name == name && r.Host != nil {
			return r.Host
		}
	}
	return nil
}

// Close ends all connections, and with them all that runs on the hosts.
func (f *Fleet) Close() error {
	return errors.Join(f.each(func(h *Host) error { return h.Close() })...)
}
