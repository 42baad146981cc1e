package tune

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mpf/remote/wire"
)

// Applied is what was changed on a host.
type Applied struct {
	Changes []Change
	steps   []Step
}

// Apply makes the changes that are asked of a host, after it has given it what
// undoes them. What cannot be had comes back as engine.Mistakes, and then it is
// left to the caller to restore what was changed until then.
func Apply(ctx context.Context, m Machine, w Wanted) (*Applied, error) {
	plan, err := makePlan(ctx, m, w)
	if err != nil {
		return nil, err
	}
	changes, err := missed(w.Host, plan.Missing)
	if err != nil {
		return nil, err
	}
	at, err := placeOf(ctx, m)
	if err == nil && len(plan.Steps) > 0 {
		err = m.Keep(ctx, undoing(plan.Steps, at))
	}
	if err != nil {
		return nil, err
	}
	var refused []Missing
	done := plan.Standing
	for _, s := range plan.Steps {
		c, missing, err := s.apply(ctx, m)
		switch {
		case err != nil:
			return nil, err
		case missing != nil:
			refused = append(refused, *missing)
		default:
			done = append(done, c)
		}
	}
	more, err := missed(w.Host, refused)
	return &Applied{Changes: slices.Concat(merged(done), changes, more, w.Elsewhere), steps: plan.Steps}, err
}

// placeOf asks for the boot and the network namespace of the host.
func placeOf(ctx context.Context, m Machine) (place, error) {
	text, err := m.Ask(ctx, "sh", "-c", "cat /proc/sys/kernel/random/boot_id; readlink /proc/self/ns/net")
	boot, network, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return place{boot: boot, network: network}, err
}

// apply makes a step and reads back what the kernel made of it.
func (s Step) apply(ctx context.Context, m Machine) (Change, *Missing, error) {
	c := Change{Name: s.Origin.Name, Where: s.where(), Before: s.Before, After: s.Value}
	said, err := m.Ask(ctx, "sh", "-c", doing(s))
	if err != nil {
		return c, nil, err
	}
	if said = strings.TrimSpace(said); said != "" {
		missing := s.refusal(said)
		return c, &missing, nil
	}
	if s.Do != nil {
		return c, nil, nil
	}
	now, err := s.look(ctx, m)
	if err != nil {
		return c, nil, err
	}
	c.After = ""
	for i, f := range s.Files {
		c.Before, c.After = both(c.Before, inForce(f.Text)), both(c.After, now[i])
		if !same(now[i], s.Value) {
			return c, &Missing{Origin: s.Origin, What: fmt.Sprintf("%s is %q after %q was written to it", f.Path, now[i], s.Value)}, nil
		}
	}
	return c, nil, nil
}

// look reads the values that a step's files have now.
func (s Step) look(ctx context.Context, m Machine) ([]string, error) {
	paths := make([]string, len(s.Files))
	for i, f := range s.Files {
		paths[i] = f.Path
	}
	files, err := m.Look(ctx, paths...)
	values := make([]string, len(paths))
	for i, path := range paths {
		if at := slices.IndexFunc(files, func(f wire.File) bool { return f.Path == path }); at >= 0 {
			values[i] = inForce(files[at].Text)
		}
	}
	return values, err
}

// Restore puts everything back, notes where a value had been changed meanwhile,
// and says what could not be put back.
func (a *Applied) Restore(ctx context.Context, m Machine, host string) error {
	for _, s := range a.steps {
		now, err := s.look(ctx, m)
		if err != nil {
			return err
		}
		for _, value := range now {
			a.end(s, value)
		}
	}
	said, err := m.Restore(ctx)
	if err != nil {
		return err
	}
	var errs []error
	for line := range strings.Lines(said) {
		if strings.Contains(line, cannotBe) {
			errs = append(errs, fmt.Errorf("host %q: %s", host, strings.TrimSpace(line)))
		}
	}
	return errors.Join(errs...)
}

// cannotBe is what the script that restores says of what it cannot.
const cannotBe = " cannot be put back "

func (a *Applied) end(s Step, value string) {
	for i, c := range a.Changes {
		if c.Name == s.Origin.Name && !same(value, s.Value) {
			a.Changes[i].End = both(c.End, value)
		}
	}
}
