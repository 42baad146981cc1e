package remote

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"sync"
	"time"

	"mpf/engine"
	"mpf/remote/link"
)

// A Host is an engine.Host behind a transport. When its link broke it dials
// again for the next attempt.
type Host struct {
	transport Transport
	spec      HostSpec
	options   LinkOptions

	dialing sync.Mutex // held while a link is made

	mu     sync.Mutex
	link   *link.Link // the newest; it may be over
	facts  map[string]engine.Value
	boot   string
	opened map[string]openAttempt   // by nonce: attempts that were not closed
	fenced map[string]engine.Fenced // by nonce: how they were, when a link was made anew
	closed bool
	tuning tuning
}

var _ engine.Host = (*Host)(nil)

// Connect reaches a host: it starts the agent, takes the host's lock, measures
// its clock and reads its facts.
func Connect(ctx context.Context, t Transport, h HostSpec, o LinkOptions) (*Host, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	host := &Host{transport: t, spec: h, options: o, opened: map[string]openAttempt{}, fenced: map[string]engine.Fenced{}}
	l, err := host.dial(ctx)
	if err != nil {
		return nil, err
	}
	if host.facts, err = l.Facts(ctx, h.Tools); err != nil {
		return nil, errors.Join(err, l.Close())
	}
	return host, nil
}

func (o LinkOptions) withDefaults() (LinkOptions, error) {
	set := func(d *time.Duration, value time.Duration) {
		if *d == 0 {
			*d = value
		}
	}
	set(&o.Lease, 30*time.Second)
	set(&o.Beat, min(5*time.Second, o.Lease/6))
	set(&o.Grace, min(5*time.Second, o.Lease/2))
	set(&o.GiveUp, o.Lease+o.Grace+min(margin, o.Lease))
	if o.Beat <= 0 || o.Grace < 0 || o.Lease <= o.Beat {
		return o, fmt.Errorf("beat %s, lease %s and grace %s: a lease must be longer than a beat", o.Beat, o.Lease, o.Grace)
	}
	if least := o.Lease + o.Grace + min(margin, o.Lease); o.GiveUp < least {
		return o, fmt.Errorf("a host given up after %s may still run what it was asked to: at least %s", o.GiveUp, least)
	}
	return o, nil
}

// margin is what is added to lease and grace before a host's processes count as
// dead.
const margin = 10 * time.Second

// dial makes a link.
func (h *Host) dial(ctx context.Context) (*link.Link, error) {
	stream, err := h.transport.Dial(ctx)
	if err != nil {
		return nil, h.advised(h.unreachable(err))
	}
	l, err := link.Open(ctx, stream, h.linkOptions(stream))
	if err != nil {
		return nil, h.advised(h.unreachable(err))
	}
	if _, err := l.CompareClocks(ctx); err != nil {
		return nil, errors.Join(h.unreachable(err), l.Close())
	}
	if left := l.Hello().Left; len(left) > 0 {
		return nil, errors.Join(h.unreachable(fmt.Errorf("processes of an earlier run cannot be killed: %q", left)), l.Close())
	}
	if err := h.retune(ctx, l); err != nil {
		return nil, errors.Join(h.unreachable(err), l.Close())
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.link, h.boot = l, l.Hello().BootID
	return l, nil
}

func (h *Host) linkOptions(stream Stream) link.Options {
	o := link.Options{
		Host: h.spec.Name, Campaign: h.options.Campaign, Engine: engineName(), Shared: h.spec.Shared, Covered: h.spec.Covered,
		Beat: h.options.Beat, Lease: h.options.Lease, Grace: h.options.Grace, GiveUp: h.options.GiveUp,
		Diagnostics: stream.Diagnostics,
	}
	if verified, ok := stream.(VerifiedStream); ok {
		o.SHA256 = verified.AgentSHA256()
	}
	return o
}

// engineName is how other campaigns are told who uses a host.
func engineName() string {
	name, err := os.Hostname()
	if err != nil {
		name = "an unnamed controller"
	}
	return fmt.Sprintf("mpf with pid %d on %s", os.Getpid(), name)
}

// unreachable is the failure of a transport, unless it is one already.
func (h *Host) unreachable(err error) error {
	var known *engine.Failure
	if errors.As(err, &known) {
		return err
	}
	return &engine.Failure{
		Status: engine.Unreachable, Cause: engine.CauseLink, Host: h.spec.Name,
		Message: fmt.Sprintf("%s: %v", h.transport, err), Err: err,
	}
}

// advised adds what to edit where something on the way to the agent stopped it.
func (h *Host) advised(err error) error {
	user := "USER"
	if known, ok := h.transport.(interface{ User() string }); ok {
		user = known.User()
	}
	hint := wayHint(err.Error(), user)
	var f *engine.Failure
	if hint == "" || !errors.As(err, &f) {
		return err
	}
	explained := *f
	explained.Message += " (" + hint + ")"
	return &explained
}

// Info says what is known of the host since it was reached.
func (h *Host) Info() engine.HostInfo {
	h.mu.Lock()
	defer h.mu.Unlock()
	return engine.HostInfo{
		Name: h.spec.Name, Address: h.spec.Address,
		Interfaces: maps.Clone(h.spec.Interfaces), Tags: h.spec.Tags,
		BootID: h.boot, Shared: h.spec.Shared, Facts: maps.Clone(h.facts), Clock: h.link.Clock(),
	}
}

// Facts reads the host's facts anew.
func (h *Host) Facts(ctx context.Context) (map[string]engine.Value, error) {
	l, err := h.alive(ctx)
	if err != nil {
		return nil, err
	}
	return l.Facts(ctx, h.spec.Tools)
}

// Glance reads the host's facts once more, without connecting again; nil if it
// is out of reach.
func (h *Host) Glance(ctx context.Context) map[string]engine.Value {
	h.mu.Lock()
	l := h.link
	h.mu.Unlock()
	if l.Err() != nil {
		return nil
	}
	known, err := l.Facts(ctx, h.spec.Tools)
	if err != nil {
		return nil
	}
	return known
}

// alive returns a link that works, made anew if the last one broke. What was
// open on that one is fenced first.
func (h *Host) alive(ctx context.Context) (*link.Link, error) {
	h.dialing.Lock()
	defer h.dialing.Unlock()
	h.mu.Lock()
	l, closed := h.link, h.closed
	h.mu.Unlock()
	if closed {
		return nil, h.unreachable(errors.New("the host was closed"))
	}
	if l.Err() == nil {
		return l, nil
	}
	fresh, err := h.dial(ctx)
	if err != nil {
		return nil, err
	}
	for _, o := range h.stillOpen() {
		fenced := engine.Fenced{How: "rebooted"}
		if o.boot == fresh.Hello().BootID {
			if fenced, err = fresh.Fence(ctx, o.attempt); err != nil {
				return nil, errors.Join(err, fresh.Close())
			}
		}
		h.settle(o.attempt.Nonce, fenced)
	}
	return fresh, nil
}

// Reach makes sure that the host answers, connecting again if it must.
func (h *Host) Reach(ctx context.Context) error {
	l, err := h.alive(ctx)
	if err != nil {
		return err
	}
	_, err = l.CompareClocks(ctx)
	return err
}

// Open begins an attempt.
func (h *Host) Open(ctx context.Context, a engine.Attempt) (engine.Workspace, error) {
	l, err := h.alive(ctx)
	if err != nil {
		return nil, err
	}
	h.mu.Lock()
	h.opened[a.Nonce] = openAttempt{attempt: a, boot: l.Hello().BootID}
	h.mu.Unlock()
	w, err := l.Open(ctx, a)
	if err != nil {
		return nil, err
	}
	return &workspace{Workspace: w, host: h, nonce: a.Nonce}, nil
}

// A workspace forgets its attempt once that is over on the host.
type workspace struct {
	engine.Workspace
	host  *Host
	nonce string
}

func (w *workspace) Close(ctx context.Context) (engine.Closing, error) {
	closing, err := w.Workspace.Close(ctx)
	if err == nil && len(closing.Unkillable) == 0 {
		w.host.forget(w.nonce)
	}
	return closing, err
}

// Close ends the connection; what still runs on the host is killed.
func (h *Host) Close() error {
	h.dialing.Lock()
	defer h.dialing.Unlock()
	h.mu.Lock()
	h.closed = true
	l := h.link
	h.mu.Unlock()
	return l.Close()
}
