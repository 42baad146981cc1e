package execute

import (
	"context"
	"errors"

	"mpf/engine"
)

// errInterrupted is the cause with which a caller cancels a loop that a person
// interrupted.
var errInterrupted = errors.New("interrupted")

// ending says how an attempt ended from the error that ended it.
func ending(ctx context.Context, err error) engine.Done {
	failure := new(engine.Failure)
	switch {
	case err == nil:
		return engine.Done{Status: engine.OK}
	case ctx.Err() != nil:
		return interruption(ctx)
	case errors.As(err, &failure):
		return engine.Done{
			Status: failure.Status, Cause: failure.Cause, Message: failure.Message,
			Host: failure.Host, Step: failure.Step, Trace: failure.Trace,
		}
	}
	return engine.Done{Status: engine.Failed, Cause: engine.CauseScript, Message: err.Error()}
}

// interruption tells a person's interrupt from an error elsewhere that ended
// the loop.
func interruption(ctx context.Context) engine.Done {
	done := engine.Done{Status: engine.Interrupted, Cause: engine.CauseUser, Message: errInterrupted.Error()}
	if storage := new(StorageError); errors.As(context.Cause(ctx), &storage) {
		done.Cause, done.Message = engine.CauseStorage, storage.Error()
	}
	return done
}

// firstError keeps the error that came first: what follows is its consequence.
func firstError(first, second error) error {
	if first != nil {
		return first
	}
	return second
}

// onHost names the host in an error that does not know it yet.
func onHost(err error, host string) error {
	failure := new(engine.Failure)
	if errors.As(err, &failure) && failure.Host == "" {
		named := *failure
		named.Host = host
		return &named
	}
	return err
}
