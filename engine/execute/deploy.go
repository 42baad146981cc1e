package execute

import (
	"context"
	"errors"
	"maps"
	"slices"

	"mpf/engine"
)

// When a deployment is made: before the first run, or before each run whose
// treatment it depends on.
func always(d engine.Deployment) bool       { return len(d.Per) == 0 }
func perTreatment(d engine.Deployment) bool { return len(d.Per) > 0 }

// inherit takes over what setup deployed.
func (a *attempt) inherit(setup *attempt) {
	a.sources = map[string]string{}
	if setup != nil {
		maps.Copy(a.sources, setup.sources)
		a.deployed = slices.Clone(setup.deployed)
	}
}

// deploy makes the deployments that are due on the hosts of their roles.
func (a *attempt) deploy(ctx context.Context, due func(engine.Deployment) bool) error {
	e := a.loop.Experiment
	for _, d := range e.Deployments {
		if !due(d) {
			continue
		}
		role := e.Roles[d.Role].Name
		deployed, err := a.loop.Deployer.Deploy(ctx, d, a.cast.roles[role], a.labels(d.Per))
		if err != nil {
			return buildFailure(d, err)
		}
		deployed.Role = role
		if deployed.Dir != "" { // packages alone lie nowhere
			a.sources[role] = deployed.Dir
		}
		a.deployed = append(a.deployed, deployed)
		for _, w := range deployed.Warnings {
			a.notes.warn(w)
		}
	}
	return nil
}

func (a *attempt) labels(variables []int) []string {
	labels := make([]string, len(variables))
	for i, v := range variables {
		labels[i] = a.run.Treatment.Label(a.loop.Experiment.Variables, v)
	}
	return labels
}

func buildFailure(d engine.Deployment, err error) error {
	if known := new(engine.Failure); errors.As(err, &known) {
		return err
	}
	return &engine.Failure{
		Status: engine.Failed, Cause: engine.CauseBuild,
		Message: err.Error(), Trace: []engine.Pos{d.Pos}, Err: err,
	}
}
