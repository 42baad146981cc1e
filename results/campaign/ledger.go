package campaign

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"mpf/engine"
	"mpf/results/journal"
)

// State implements engine.Ledger.
func (c *Campaign) State(run engine.RunID) engine.RunState { return c.journal.State(run) }

// Over implements engine.Ledger.
func (c *Campaign) Over() engine.Places { return c.journal.Over(len(c.Plans())) }

// Learn takes in places of runs that a look at each has shown to have ended ok.
func (c *Campaign) Learn(over engine.Places) { c.journal.Learn(len(c.Plans()), over) }

// Results implements engine.Ledger.
func (c *Campaign) Results(run engine.RunID) (engine.Results, error) {
	ended, err := c.ended(run)
	if err != nil || ended == nil {
		return nil, err
	}
	return ended.Done.Results, nil
}

// ended returns the end that makes the row of a run, nil if it has none.
func (c *Campaign) ended(run engine.RunID) (*journal.Ended, error) {
	ended, err := c.journal.Row(run)
	if err == nil && ended != nil {
		err = c.unspill(ended)
	}
	if err != nil {
		return nil, explain(c.dir, err)
	}
	return ended, nil
}

// Open implements engine.Ledger.
func (c *Campaign) Open(ctx context.Context, s engine.Start) (engine.AttemptLog, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if s.Nonce == "" || s.Nonce != filepath.Base(s.Nonce) || !filepath.IsLocal(s.Nonce) {
		return nil, fmt.Errorf("attempt %d of run %s: nonce %q is no file name", s.Attempt, s.Run.ID, s.Nonce)
	}
	if c.journal.Summary().Dropped != nil {
		return nil, &RefusedError{
			Dir: c.dir, What: "its sample segments were dropped, so it takes no run any more",
			Todo: "begin another campaign with: mpf run --new",
		}
	}
	a := &attempt{campaign: c, start: s, leave: c.enter(s)}
	if err := a.begin(); err != nil {
		a.leave()
		return nil, err
	}
	return a, nil
}

// enter waits until no table is made where an attempt measures this machine, and
// keeps tables from being made until it is left.
func (c *Campaign) enter(s engine.Start) (leave func()) {
	for _, h := range s.Hosts {
		if slices.Contains(c.config.Measured, h.Host) {
			c.gate.Enter()
			return c.gate.Leave
		}
	}
	return func() {}
}

// Unfinished implements engine.Ledger.
func (c *Campaign) Unfinished() []engine.Start {
	var starts []engine.Start
	current := c.journal.Invocation()
	for _, started := range c.journal.Unfinished() {
		if started.Invocation != current {
			starts = append(starts, started.Start)
		}
	}
	return starts
}

// Unfenced implements engine.Ledger.
func (c *Campaign) Unfenced() (lost []engine.Start, err error) {
	for _, status := range []engine.Status{engine.Unreachable, engine.Interrupted} {
		for _, run := range c.journal.Rows(status) {
			ended, err := c.ended(run)
			if err != nil {
				return nil, err
			}
			if engine.HostGone(ended.Done.Status, ended.Done.Cause) {
				lost = append(lost, lostIn(ended))
			}
		}
	}
	return lost, nil
}

// lostIn is an attempt that a host was lost in, as far as fencing needs to know it.
func lostIn(e *journal.Ended) engine.Start {
	s := engine.Start{Run: engine.Run{ID: e.Run}, Attempt: e.Attempt, Nonce: e.Nonce}
	for _, h := range e.Done.Hosts {
		s.Hosts = append(s.Hosts, engine.RoleHost{Host: h.Host, BootID: h.BootID})
	}
	return s
}

// Running lists the attempts that have no end, those of this invocation too.
func (c *Campaign) Running() []engine.Start {
	var starts []engine.Start
	for _, started := range c.journal.Unfinished() {
		starts = append(starts, started.Start)
	}
	return starts
}

// Fence implements engine.Ledger.
func (c *Campaign) Fence(_ context.Context, a engine.Attempt, host string, f engine.Fenced) error {
	err := c.commit(&journal.Fenced{Run: a.Run, Attempt: a.Number, Host: host, Fenced: f})
	if err == nil && f.Rebooted() {
		c.publisher.changed()
	}
	return err
}

// Abandon implements engine.Ledger. What the attempt left is kept with it;
// sample segments that have no end are renamed so that nobody reads them.
func (c *Campaign) Abandon(_ context.Context, s engine.Start) error {
	a := &attempt{campaign: c, start: s, abandoned: true}
	return a.record(engine.Done{
		Status: engine.Interrupted, Cause: engine.CauseEngineDied, Wall: c.config.Clock.Now(),
		Message: "mpf died while the run was executing",
	})
}

// Decide implements engine.Ledger.
func (c *Campaign) Decide(_ context.Context, d engine.Decision) error {
	return c.commit(&journal.Decided{Decision: d})
}

// commit makes an event durable. An error of storage ends the recording.
func (c *Campaign) commit(event journal.Event) error {
	err := c.journal.Commit(event)
	var storage *journal.StorageError
	if errors.As(err, &storage) {
		return c.fail(err)
	}
	return err
}

// Count returns the number of rows by status.
func (c *Campaign) Count() map[engine.Status]int64 { return c.journal.Count() }
