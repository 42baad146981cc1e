package execute

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"mpf/engine"
)

// A SetupError ends a loop before its first run.
type SetupError struct {
	Role, Host, Step string
	Err              error
}

func (e *SetupError) Error() string {
	return fmt.Sprintf("setup of role %q on %s: %v", e.Role, e.Host, e.Err)
}
func (e *SetupError) Unwrap() error { return e.Err }

// A groundwork is what setup built: workspaces that live as long as the loop, so
// that a service which setup started serves every run.
type groundwork struct {
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
	for i := range l.Groups {
		own := filepath.Join(dir, l.Groups[i].Name)
		if err := os.MkdirAll(own, 0o700); err != nil {
			return set, &StorageError{err}
		}
		a := l.setupAttempt(&l.Groups[i], own)
		set.attempts = append(set.attempts, a)
	}
	return set, all(len(set.attempts), func(i int) error { return set.attempts[i].setUp(ctx) })
}

func (l *Loop) needsSetup() bool {
	for _, role := range l.Experiment.Roles {
		if len(role.Setup) > 0 {
			return true
		}
	}
	return len(l.Experiment.Deployments) > 0
}

// setupAttempt makes an attempt of no run: it has no treatment, is not in the
// ledger and takes no readings.
func (l *Loop) setupAttempt(g *Group, dir string) *attempt {
	none := make(engine.Treatment, len(l.Experiment.Variables))
	for i := range none {
		none[i] = engine.Absent
	}
	run := engine.Run{Treatment: none}
	return &attempt{
		loop: l, group: g, run: run, meet: newMeeting(), begun: l.Clock.Now(),
		cast: g.wholeCast(l.Experiment), log: setupLog(dir), notes: newNotes(setupLog(dir).Dir, l, run),
		sampling: engine.Sampling{Off: true},
	}
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
func (s *groundwork) close(ctx context.Context, limit time.Duration) {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	for _, a := range s.attempts {
		a.left.stop(ctx)
		if err := firstError(a.fetch(ctx), a.close(ctx)); err != nil {
			a.notes.warn(engine.Warning{Code: "setup-close", Text: err.Error()})
		}
		if _, _, err := a.notes.close(); err != nil {
			a.loop.Watch.Warned(a.run, engine.Warning{Code: "setup-log", Text: err.Error()})
		}
	}
}
