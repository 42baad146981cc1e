package execute

import (
	"context"
	"errors"
	"fmt"
	"time"

	"mpf/engine"
)

// A stepTimeout is the cause of a context whose step took too long.
type stepTimeout struct{ limit time.Duration }

func (e *stepTimeout) Error() string { return fmt.Sprintf("over its timeout of %v", e.limit) }

// executePart executes a step on a host and records it.
func (a *attempt) executePart(ctx context.Context, p part) (engine.Results, error) {
	if p.step.Delay > 0 {
		if err := a.loop.Clock.Sleep(ctx, p.step.Delay); err != nil {
			return nil, err
		}
	}
	limit := p.step.Timeout
	if limit == 0 {
		limit = a.loop.Experiment.Timeout
	}
	bounded, cancel := withLimit(ctx, limit)
	defer cancel()
	page := a.notes.page(p)
	results, err := call(bounded, p.step.Do, a.runContext(p, page))
	err = a.explain(ctx, bounded, p, err)
	page.end(err)
	return results, err
}

func withLimit(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	if limit == 0 {
		return context.WithCancel(ctx)
	}
	return context.WithTimeoutCause(ctx, limit, &stepTimeout{limit})
}

// call turns a panic of a step into an error: it must not end the engine.
func call(ctx context.Context, do engine.StepFunc, run *engine.RunContext) (results engine.Results, err error) {
	defer func() {
		if p := recover(); p != nil {
			results, err = nil, fmt.Errorf("the step panicked: %v", p)
		}
	}()
	return do(ctx, run)
}

func (a *attempt) runContext(p part, page *page) *engine.RunContext {
	return &engine.RunContext{
		Experiment: a.loop.Experiment,
		Run:        a.run,
		Attempt:    a.number,
		Step:       p.step,
		Role:       p.role,
		Host:       p.host,
		Rank:       p.rank,
		Link:       p.link,
		Source:     a.sources[p.role],
		Workspace:  &watchedWorkspace{Workspace: a.rooms[p.host.Name], page: page, all: &a.left},
		Seed:       a.seed(),
		Cluster:    a.cast,
		Meeting:    a.meet,
		Journal:    page,
	}
}

// explain makes an error of a step one that names step, host, status and cause.
func (a *attempt) explain(outer, bounded context.Context, p part, err error) error {
	if err == nil {
		return nil
	}
	failure := &engine.Failure{Status: engine.Failed, Cause: engine.CauseScript, Message: err.Error(), Err: err}
	if known := new(engine.Failure); errors.As(err, &known) {
		*failure = *known
	}
	late := new(stepTimeout)
	if outer.Err() == nil && errors.As(context.Cause(bounded), &late) {
		failure.Status, failure.Cause, failure.Message = engine.TimedOut, engine.CauseStep, late.Error()
	}
	failure.Step = p.step.Name
	if failure.Host == "" {
		failure.Host = p.host.Name
	}
	if len(failure.Trace) == 0 {
		failure.Trace = []engine.Pos{p.step.Pos}
	}
	return failure
}
