package execute

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"fmt"
	"sort"
	"time"

	"mpf/engine"
)

// An attempt is one try at executing a run on a group.
type attempt struct {
	loop   *Loop
	group  *Group
	run    engine.Run
	number int
	cast   *cast
	log    engine.AttemptLog
	notes  *notes
	meet   *meeting
	begun  time.Time
	rooms  map[string]engine.Workspace // by host
	ends   map[string]engine.Closing
	lost   []string // hosts that could not end it
	left   background

	sampling engine.Sampling
	sources  map[string]string // where each role's deployment lies on its hosts
	deployed []engine.Deployed
}

// attempt executes one try and records it. The error is one that ends the
// group's work; how the try ended is in the Done.
func (w *worker) attempt(ctx context.Context, run engine.Run, number int) (engine.Done, error) {
	l := w.loop
	a := &attempt{
		loop: l, group: w.group, run: run, number: number, meet: newMeeting(),
		sampling: l.Experiment.Sampling,
	}
	a.inherit(w.ground.of(w.place))
	cast, castErr := w.group.cast(l.Experiment, run.Treatment)
	a.cast = cast
	a.begun = l.Clock.Now()
	start := engine.Start{Run: run, Attempt: number, Nonce: newNonce(), Group: w.group.Name, Hosts: cast.roleHosts(), Wall: a.begun}
	log, err := l.Ledger.Open(ctx, start)
	if err != nil {
		return engine.Done{}, storageOr(ctx, err)
	}
	a.log = log
	l.Watch.Started(run, number, w.group.Name)
	a.notes = newNotes(log.Dir, l, run)
	done, err := a.perform(ctx, start, castErr)
	if err != nil {
		return done, &StorageError{err}
	}
	if !w.ended.IsZero() {
		done.Gap = a.begun.Sub(w.ended).Seconds()
	}
	w.ended = l.Clock.Now()
	if err := log.Done(context.WithoutCancel(ctx), done); err != nil {
		return done, &StorageError{err}
	}
	if done.Status == engine.OK {
		l.Design.Observe(run, done.Results)
	}
	l.Watch.Ended(run, number, done)
	w.absent = a.absence(start, done)
	return done, a.blocked()
}

// storageOr tells an interruption from a ledger that failed.
func storageOr(ctx context.Context, err error) error {
	if ctx.Err() != nil && errors.Is(err, ctx.Err()) {
		return context.Cause(ctx)
	}
	return &StorageError{err}
}

// perform does all that an attempt does on hosts and says how it ended. Its
// error is one of storage.
func (a *attempt) perform(ctx context.Context, start engine.Start, castErr error) (engine.Done, error) {
	err := castErr
	if err == nil {
		err = a.deploy(ctx, perTreatment)
	}
	if err == nil {
		err = a.open(ctx, start)
	}
	var results engine.Results
	if err == nil {
		results, err = a.timeline(ctx)
	}
	if err == nil {
		err = a.declared(results)
	}
	err = graver(err, a.wrapUp(context.WithoutCancel(ctx)))
	done := ending(ctx, err)
	done.Results = results
	done.Wall = a.loop.Clock.Now()
	done.Seconds = done.Wall.Sub(a.begun).Seconds()
	done.Hosts = a.hostRecords()
	done.Deployed = a.deployed
	done.Steps, done.Warnings, err = a.notes.close()
	return done, err
}

// wrapUp cleans up, stops what steps left running, fetches what hosts keep for
// the record and closes the workspaces, whatever happened before.
func (a *attempt) wrapUp(ctx context.Context) error {
	if len(a.rooms) == 0 {
		return nil
	}
	tidying, cancel := context.WithTimeout(ctx, a.loop.Limits.Cleanup)
	defer cancel()
	err := a.cleanUp(tidying)
	a.left.stop(tidying)
	err = firstError(err, a.fetch(tidying))
	return graver(err, a.close(ctx))
}

// open opens a workspace on every host of the run, all at once.
func (a *attempt) open(ctx context.Context, start engine.Start) error {
	a.rooms = map[string]engine.Workspace{}
	a.ends = map[string]engine.Closing{}
	request := engine.Attempt{
		Run: a.run.ID, Number: a.number, Nonce: start.Nonce,
		Output: a.loop.Output,
	}
	opened := make([]engine.Workspace, len(a.cast.hosts))
	err := together(ctx, len(a.cast.hosts), func(ctx context.Context, i int) error {
		mine := request
		mine.Sampling = a.samplingOf(a.cast.names[i])
		if !mine.Sampling.Off {
			mine.Readings = a.log.Readings(a.cast.names[i])
		}
		room, err := a.cast.hosts[i].Open(ctx, mine)
		opened[i] = room
		return onHost(err, a.cast.names[i])
	})
	for i, room := range opened {
		if room != nil {
			a.rooms[a.cast.names[i]] = room
		}
	}
	return err
}

// samplingOf says how a host is watched. Setup is not.
func (a *attempt) samplingOf(host string) engine.Sampling {
	if a.run.Replicate == 0 {
		return a.sampling
	}
	return a.loop.Experiment.SamplingOf(a.cast.rolesOf(host))
}

// close ends the run on every host, all at once. What it finds is kept even if
// a host could not be closed.
func (a *attempt) close(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, a.loop.Limits.Closing)
	defer cancel()
	names := sortedNames(a.rooms)
	ends, errs := make([]engine.Closing, len(names)), make([]error, len(names))
	_ = all(len(names), func(i int) error {
		ends[i], errs[i] = a.rooms[names[i]].Close(ctx)
		return nil
	})
	var worst error
	for i, name := range names {
		err := onHost(errs[i], name)
		if errors.Is(err, context.DeadlineExceeded) {
			err = silentClose(name, a.loop.Limits.Closing, err)
		}
		if gone := new(engine.Failure); errors.As(err, &gone) && engine.HostGone(gone.Status, gone.Cause) {
			a.lost = append(a.lost, name)
		}
		worst = graver(worst, err)
		a.ends[name] = ends[i]
		for _, text := range ends[i].Warnings {
			a.notes.warn(engine.Warning{Code: "host", Text: name + ": " + text})
		}
	}
	return worst
}

// blocked says whether a host holds processes that could not be killed.
func (a *attempt) blocked() error {
	for _, name := range sortedNames(a.ends) {
		if left := a.ends[name].Unkillable; len(left) > 0 {
			return &HostLost{Host: name, Err: fmt.Errorf("processes that cannot be killed: %q", left)}
		}
	}
	return nil
}

func (a *attempt) hostRecords() []engine.HostRecord {
	records := make([]engine.HostRecord, len(a.cast.hosts))
	for i, host := range a.cast.hosts {
		info := host.Info()
		sampling := a.samplingOf(info.Name)
		records[i] = engine.HostRecord{
			Host: info.Name, Roles: a.cast.rolesOf(info.Name), BootID: info.BootID,
			Clock: info.Clock, Ended: a.ends[info.Name],
			Sampling: &sampling,
		}
	}
	return records
}

// seed derives the seed of a run from the experiment's.
func (a *attempt) seed() uint64 {
	b := binary.BigEndian.AppendUint64([]byte("mpf-seed-1"), uint64(a.loop.Experiment.Seed))
	sum := sha256.Sum256(append(b, a.run.ID[:]...))
	return binary.BigEndian.Uint64(sum[:])
}

func sortedNames[V any](m map[string]V) []string {
	names := make([]string, 0, len(m))
	for name := range m {
		names = append(names, name)
	}
	sort.Strings(names)
	return names
}
