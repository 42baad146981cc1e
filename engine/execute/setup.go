package execute

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"mpf/engine"
)

// A SetupError ends a loop before its first run.
type SetupError struct {
	Role, Host, Step string
	Err              error
}

func (e *SetupError) Error() string {
	what := e.Err.Error()
	if known := new(engine.Failure); errors.As(e.Err, &known) && known.Host == e.Host {
		what = known.Message // which the host is named before
	}
	return fmt.Sprintf("setup of role %q on %s: %s", e.Role, e.Host, what)
}

func (e *SetupError) Unwrap() error { return e.Err }

// A groundwork is what setup built: workspaces that live as long as the loop, so
// that a service which setup started serves every run.
type groundwork struct {
	dir      string     // of the controller, for what it leaves behind
	attempts []*attempt // one a group, or none
}

// of returns the setup of the i-th group, nil if nothing was set up.
func (s *groundwork) of(i int) *attempt {
	if len(s.attempts) == 0 {
		return nil
	}
	return s.attempts[i]
}

// setUp deploys what no variable chooses and executes the setup steps, on all
// groups and hosts at once.
func (l *Loop) setUp(ctx context.Context) (*groundwork, error) {
	set := &groundwork{}
	if !l.needsSetup() {
		return set, nil
	}
	dir, err := l.Ledger.SetupDir()
	if err != nil {
		return set, &StorageError{err}
	}
	set.dir = dir
	for i := range l.Groups {
		a, err := l.setupAttempt(&l.Groups[i], filepath.Join(dir, l.Groups[i].Name))
		if err != nil {
			return set, err
		}
		set.attempts = append(set.attempts, a)
	}
	return set, all(len(set.attempts), func(i int) error { return set.attempts[i].setUp(ctx) })
}

// renew executes the setup of the worker's group again after one of its hosts was
// lost: what setup had started there is gone.
func (w *worker) renew(ctx context.Context) error {
	old := w.ground.of(w.place)
	if old == nil {
		return nil
	}
	old.endSetup(context.WithoutCancel(ctx))
	w.renewals++
	again, err := w.loop.setupAttempt(w.group, filepath.Join(w.ground.dir, w.group.Name, fmt.Sprintf("again-%d", w.renewals)))
	if err != nil {
		return err
	}
	w.ground.attempts[w.place] = again
	err = again.setUp(ctx)
	if gone := new(engine.Failure); errors.As(err, &gone) && gone.Status == engine.Unreachable {
		return &HostLost{Host: gone.Host, Err: err}
	}
	return err
}

func (l *Loop) needsSetup() bool {
	for _, role := range l.Experiment.Roles {
		if len(role.Setup) > 0 {
			return true
		}
	}
	return len(l.Experiment.Deployments) > 0
}

// setupAttempt makes an attempt of no run, with a folder of the controller: it
// has no treatment, is not in the ledger and takes no readings.
func (l *Loop) setupAttempt(g *Group, dir string) (*attempt, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, &StorageError{err}
	}
	none := make(engine.Treatment, len(l.Experiment.Variables))
	for i := range none {
		none[i] = engine.Absent
	}
	run := engine.Run{Treatment: none}
	return &attempt{
		loop: l, group: g, run: run, meet: newMeeting(), begun: l.Clock.Now(),
		cast: g.wholeCast(l.Experiment), log: setupLog(dir), notes: newNotes(setupLog(dir).Dir, l, run),
		sampling: engine.Sampling{Off: true},
	}, nil
}

// setupLog is the folder of what setup leaves behind; it is no attempt's.
type setupLog string

func (s setupLog) Dir() string                           { return string(s) }
func (setupLog) Readings(string) engine.ReadingSink      { return nil }
func (setupLog) Done(context.Context, engine.Done) error { return nil }

// wholeCast places every role on all the hosts that may play it.
func (g *Group) wholeCast(e *engine.Experiment) *cast {
	c := &cast{experiment: e, links: g.Links, roles: map[string][]engine.Host{}}
	for _, role := range e.Roles {
		hosts := g.Roles[role.Name]
		if role.HostsFrom != "" {
			hosts = g.levels(e, role.HostsFrom)
		}
		c.play(role.Name, hosts)
	}
	return c
}

func (g *Group) levels(e *engine.Experiment, variable string) []engine.Host {
	var hosts []engine.Host
	for _, v := range e.Variables {
		for _, level := range v.Levels {
			if host := g.Hosts[level.Label]; host != nil && v.Name == variable {
				hosts = append(hosts, host)
			}
		}
	}
	return hosts
}

func (a *attempt) setUp(ctx context.Context) error {
	a.inherit(nil)
	if err := a.deploy(ctx, always); err != nil {
		return err
	}
	if err := a.open(ctx, engine.Start{Nonce: newNonce()}); err != nil {
		return err
	}
	for i := range a.loop.Experiment.Roles {
		role := &a.loop.Experiment.Roles[i]
		for s := range role.Setup {
			if err := a.setUpStep(ctx, role, &role.Setup[s]); err != nil {
				return err
			}
		}
	}
	return nil
}

func (a *attempt) setUpStep(ctx context.Context, role *engine.Role, step *engine.Step) error {
	hosts := a.cast.roles[role.Name]
	return together(ctx, len(hosts), func(ctx context.Context, i int) error {
		info := hosts[i].Info()
		a.loop.Watch.SettingUp(step.Name, info.Name)
		_, err := a.executePart(ctx, part{step: step, role: role.Name, host: info, rank: i})
		if err != nil {
			return &SetupError{Role: role.Name, Host: info.Name, Step: step.Name, Err: err}
		}
		return nil
	})
}

// close ends what setup opened.
func (s *groundwork) close(ctx context.Context) {
	for _, a := range s.attempts {
		a.endSetup(ctx)
	}
}

// endSetup ends what the setup of a group opened. What goes wrong hinders nobody.
func (a *attempt) endSetup(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, a.loop.Limits.Cleanup)
	defer cancel()
	a.left.stop(ctx)
	if err := firstError(a.fetch(ctx), a.close(ctx)); err != nil {
		a.notes.warn(engine.Warning{Code: "setup-close", Text: err.Error()})
	}
	steps, _, err := a.notes.close()
	if err = errors.Join(err, a.keepSteps(steps)); err != nil {
		a.loop.Watch.Warned(a.run, engine.Warning{Code: "setup-log", Text: err.Error()})
	}
}

// SetupSteps is the file of a setup folder that holds the records of its steps,
// as JSON: they belong to no run and are in no table.
const SetupSteps = "steps.json"

func (a *attempt) keepSteps(steps []engine.StepRecord) error {
	if len(steps) == 0 {
		return nil
	}
	text, err := json.MarshalIndent(steps, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(a.notes.dir(), SetupSteps), text, 0o600)
}
