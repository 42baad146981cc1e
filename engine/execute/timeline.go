package execute

import (
	"context"
	"errors"
	"fmt"

	"mpf/engine"
)

// A part is one step on one host.
type part struct {
	step *engine.Step
	role string
	link string
	host engine.HostInfo
	rank int
}

// timeline executes the stages one after another and merges their results.
func (a *attempt) timeline(ctx context.Context) (engine.Results, error) {
	merged := merger{from: map[string]string{}}
	for _, stage := range a.loop.Experiment.Timeline {
		if err := a.stage(ctx, stage, &merged); err != nil {
			return merged.results, err
		}
	}
	return merged.results, nil
}

// stage executes the steps of a stage on all their hosts at once. Results are
// merged in the order of steps and hosts, not in the order of arrival.
func (a *attempt) stage(ctx context.Context, stage engine.Stage, merged *merger) error {
	parts, err := a.parts(stage)
	if err != nil || len(parts) == 0 {
		return err
	}
	results := make([]engine.Results, len(parts))
	err = together(ctx, len(parts), func(ctx context.Context, i int) error {
		var err error
		results[i], err = a.executePart(ctx, parts[i])
		return err
	})
	if err != nil {
		return err
	}
	for from := 0; from < len(parts); {
		to := from + 1
		for to < len(parts) && parts[to].step == parts[from].step {
			to++
		}
		if err := merged.add(ctx, parts[from:to], results[from:to]); err != nil {
			return err
		}
		from = to
	}
	return nil
}

// parts lists who executes the steps of a stage in this run. A step whose role
// or link a variable names is left out where that variable is absent.
func (a *attempt) parts(stage engine.Stage) ([]part, error) {
	e := a.loop.Experiment
	var parts []part
	for i := range stage {
		step := &stage[i]
		role := e.Roles[step.Role].Name
		if step.RoleFrom != "" {
			role = labelOf(e, a.run.Treatment, step.RoleFrom)
		}
		hosts := a.cast.roles[role]
		link := step.Link
		if step.LinkFrom != "" {
			link = labelOf(e, a.run.Treatment, step.LinkFrom)
		}
		if role == "" || step.LinkFrom != "" && link == "" {
			continue
		}
		here, err := a.atEnds(link, hosts)
		if err != nil {
			return nil, &engine.Failure{Status: engine.Failed, Cause: engine.CauseScript, Step: step.Name, Message: err.Error()}
		}
		for rank, host := range here {
			parts = append(parts, part{step: step, role: role, link: link, host: host.Info(), rank: rank})
		}
	}
	return parts, nil
}

// atEnds keeps the hosts that own an end of a link; all of them without a link.
func (a *attempt) atEnds(name string, hosts []engine.Host) ([]engine.Host, error) {
	if name == "" {
		return hosts, nil
	}
	link, err := a.cast.Link(name)
	if err != nil {
		return nil, err
	}
	var ends []engine.Host
	for _, host := range hosts {
		if own := host.Info().Name; own == link.Ends[0].Host || own == link.Ends[1].Host {
			ends = append(ends, host)
		}
	}
	if len(ends) == 0 {
		return nil, fmt.Errorf("no host of the step's role has an end of link %q", name)
	}
	return ends, nil
}

// A merger puts the results of steps together.
type merger struct {
	results engine.Results
	from    map[string]string // result -> step
}

// add merges what one step returned on its hosts.
func (m *merger) add(ctx context.Context, parts []part, results []engine.Results) error {
	step := parts[0].step
	names, values := collect(results)
	for _, name := range names {
		if other, twice := m.from[name]; twice {
			return scriptFailure(step, fmt.Sprintf("result %q is returned by step %q and by step %q: give one another name", name, other, step.Name))
		}
		value, err := gathered(ctx, parts, name, values[name])
		if err != nil {
			return err
		}
		m.from[name] = step.Name
		m.results = append(m.results, engine.NamedValue{Name: name, Value: value})
	}
	return nil
}

// collect lists the names by first appearance with their values in host order.
func collect(results []engine.Results) ([]string, map[string][]engine.Value) {
	var names []string
	values := map[string][]engine.Value{}
	for _, one := range results {
		for _, r := range one {
			if _, seen := values[r.Name]; !seen {
				names = append(names, r.Name)
			}
			values[r.Name] = append(values[r.Name], r.Value)
		}
	}
	return names, values
}

func gathered(ctx context.Context, parts []part, name string, values []engine.Value) (engine.Value, error) {
	step := parts[0].step
	switch {
	case step.Gather != nil:
		value, err := step.Gather(ctx, name, values)
		return value, ofStep(step, err)
	case len(values) > 1:
		return nil, scriptFailure(step, fmt.Sprintf(
			"result %q came from %d hosts of role %q: say how they become one: step(..., gather = \"list\"), or \"sum\", \"mean\", \"min\", \"max\"",
			name, len(values), parts[0].role))
	}
	return values[0], nil
}

// ofStep gives a failure that says nothing of its place that of the step.
func ofStep(step *engine.Step, err error) error {
	var known *engine.Failure
	if !errors.As(err, &known) || len(known.Trace) > 0 {
		return err
	}
	placed := *known
	placed.Step, placed.Trace = step.Name, []engine.Pos{step.Pos}
	return &placed
}

func scriptFailure(step *engine.Step, message string) error {
	return &engine.Failure{
		Status: engine.Failed, Cause: engine.CauseResultType, Step: step.Name,
		Message: message, Trace: []engine.Pos{step.Pos},
	}
}
