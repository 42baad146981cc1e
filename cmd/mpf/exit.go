package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"

	"mpf/engine"
	"mpf/engine/execute"
	"mpf/results/campaign"
)

// The exit codes of mpf.
const (
	exitOK          = 0
	exitSomeFailed  = 1
	exitUsage       = 2
	exitExperiment  = 3
	exitHosts       = 4
	exitStorage     = 5
	exitRefused     = 6
	exitInterrupted = 130
)

// A usageError is a command line that cannot be understood.
type usageError struct {
	message, todo string
}

func (e *usageError) Error() string { return e.message }
func (e *usageError) Hint() string  { return e.todo }

// unreadable says of a file that was named why it cannot be had, and what to do.
func unreadable(path string, err error, todo string) *usageError {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return &usageError{message: fmt.Sprintf("%s: %v", path, err), todo: todo}
}

// A hinted error carries the command or the edit that helps.
type hinted struct {
	err  error
	todo string
}

func (e *hinted) Error() string { return e.err.Error() }
func (e *hinted) Unwrap() error { return e.err }
func (e *hinted) Hint() string  { return e.todo }

var (
	errNoCommand  = &usageError{}
	errSomeFailed = errors.New("some runs did not end ok")
)

// exitCode says with which code an error ends mpf.
func exitCode(err error) int {
	var (
		usage    *usageError
		mistakes engine.Mistakes
		mistake  engine.Mistake
		storage  *execute.StorageError
		lost     *execute.HostLost
		setup    *execute.SetupError
		failure  *engine.Failure
	)
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &usage):
		return exitUsage
	case errors.As(err, &mistakes), errors.As(err, &mistake):
		return exitExperiment
	case errors.Is(err, context.Canceled):
		return exitInterrupted
	case errors.As(err, &storage):
		return exitStorage
	case errors.As(err, &lost):
		return exitHosts
	case errors.As(err, &failure) && failure.Status == engine.Unreachable:
		return exitHosts
	case errors.As(err, &setup):
		return exitSomeFailed
	}
	return recordCode(err)
}

// recordCode gives the codes of the record's own errors.
func recordCode(err error) int {
	var refused *campaign.RefusedError
	var storage *campaign.StorageError
	switch {
	case errors.As(err, &refused), errors.Is(err, errNotVerified):
		return exitRefused
	case errors.As(err, &storage):
		return exitStorage
	}
	return exitSomeFailed
}
