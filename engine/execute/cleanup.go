package execute

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"

	"mpf/engine"
)

// cleanUp executes the cleanup steps of every role on its hosts. Each is
// executed even if one before it failed; the first error is returned.
func (a *attempt) cleanUp(ctx context.Context) error {
	var first error
	for i := range a.loop.Experiment.Roles {
		role := &a.loop.Experiment.Roles[i]
		for s := range role.Cleanup {
			first = firstError(first, a.cleanUpStep(ctx, role, &role.Cleanup[s]))
		}
	}
	return first
}

func (a *attempt) cleanUpStep(ctx context.Context, role *engine.Role, step *engine.Step) error {
	hosts := a.cast.roles[role.Name]
	return all(len(hosts), func(i int) error {
		info := hosts[i].Info()
		if a.rooms[info.Name] == nil {
			return nil
		}
		_, err := a.executePart(ctx, part{step: step, role: role.Name, host: info, rank: i})
		return err
	})
}

// outFolder is the folder of a workspace whose files are kept with the run.
const outFolder = "out"

// fetch copies what the steps left in the out folder of each host.
func (a *attempt) fetch(ctx context.Context) error {
	names := sortedNames(a.rooms)
	return all(len(names), func(i int) error {
		room := a.rooms[names[i]]
		// Asking for the folder as if it were a file costs less than fetching it.
		if _, err := room.ReadFile(ctx, outFolder, 0); errors.Is(err, fs.ErrNotExist) {
			return nil
		}
		to := filepath.Join(a.log.Dir(), "files", names[i], outFolder)
		if err := os.MkdirAll(filepath.Dir(to), 0o700); err != nil {
			return err
		}
		if err := room.Get(ctx, outFolder, to); err != nil {
			return onHost(artifactFailure(err), names[i])
		}
		return nil
	})
}

func artifactFailure(err error) error {
	if known := new(engine.Failure); errors.As(err, &known) {
		return err
	}
	return &engine.Failure{
		Status: engine.Failed, Cause: engine.CauseArtifact,
		Message: "files of the run could not be fetched: " + err.Error(), Err: err,
	}
}
