package execute

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"mpf/engine"
)

// fencedByReboot is what a host says of an attempt that began in an earlier boot
// of it.
const fencedByReboot = "rebooted"

// investigate waits a while for the hosts that were lost in an attempt, makes
// sure that nothing of it runs on them any more, and tells a reboot from a
// connection that broke. What a host that stays away keeps to itself stays
// unknown: the end is recorded as it was seen. Its error is one of storage.
func (w *worker) investigate(ctx context.Context, a *attempt, s engine.Start, done *engine.Done) error {
	if !hostGone(done.Status, done.Cause) {
		return nil
	}
	this := engine.Attempt{Run: s.Run.ID, Number: s.Attempt, Nonce: s.Nonce}
	deadline := w.loop.Clock.Now().Add(min(w.loop.Limits.Reboot, w.loop.Limits.Patience))
	for _, name := range a.lostHosts(done.Host) {
		if w.awaitUntil(ctx, name, deadline) != nil {
			continue
		}
		fenced, err := w.group.Hosts[name].Fence(ctx, this)
		if err != nil {
			continue // whoever wants the host next is told why
		}
		if err := w.loop.Ledger.Fence(context.WithoutCancel(ctx), this, name, fenced); err != nil {
			return err
		}
		if fenced.How == fencedByReboot && name == done.Host && done.Status == engine.Unreachable {
			done.Cause = engine.CauseRebooted
			done.Message = "it was rebooted; what was seen of it: " + done.Message
		}
	}
	return nil
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

// graver tells which of two errors ended an attempt: the first, of which the
// second is a consequence, unless only the second says that a host was gone
// before or slept. Then it is the first that is the consequence: a client fails
// because its server's machine lost power.
func graver(first, second error) error {
	cause, blamed := new(engine.Failure), new(engine.Failure)
	if first == nil || !errors.As(second, &cause) || !hostGone(cause.Status, cause.Cause) {
		return firstError(first, second)
	}
	if errors.As(first, &blamed) && hostGone(blamed.Status, blamed.Cause) {
		return first
	}
	known := *cause
	known.Message = fmt.Sprintf("%s; before that was noticed: %v", cause.Message, first)
	known.Step, known.Trace = blamed.Step, blamed.Trace
	return &known
}

// hostGone reports whether an end says that a host was out of reach for a while,
// or asleep: what ran there is over.
func hostGone(s engine.Status, c engine.Cause) bool {
	return s == engine.Unreachable || s == engine.Interrupted && c == engine.CauseSuspended
}

// silentClose is the failure of a host that did not end an attempt in time,
// though its link is not known to be broken.
func silentClose(name string, limit time.Duration, err error) error {
	return &engine.Failure{
		Status: engine.Unreachable, Cause: engine.CauseLink, Host: name, Err: err,
		Message: fmt.Sprintf("it did not end the run within %v", limit),
	}
}
