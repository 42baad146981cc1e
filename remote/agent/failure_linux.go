package agent

import (
	"errors"
	"fmt"

	"mpf/remote/wire"
)

// failed makes the error of an attempt that failed by what it asked for.
func failed(format string, args ...any) error {
	return &wire.Error{Status: "failed", Cause: "exit", Message: fmt.Sprintf(format, args...)}
}

// artifact makes the error of a file that could not be had.
func artifact(format string, args ...any) error {
	return &wire.Error{Status: "failed", Cause: "artifact", Message: fmt.Sprintf(format, args...)}
}

// missing makes the error of a file that does not exist.
func missing(path string) error {
	return &wire.Error{Status: "failed", Cause: "artifact", Message: fmt.Sprintf("no file %q", path), Missing: true}
}

// timedOut makes the error of something that did not come in time.
func timedOut(format string, args ...any) error {
	return &wire.Error{Status: "timeout", Cause: "command", Message: fmt.Sprintf(format, args...)}
}

// asError is how err is told to the controller.
func asError(err error) *wire.Error {
	var known *wire.Error
	if errors.As(err, &known) {
		return known
	}
	return &wire.Error{Status: "failed", Cause: "exit", Message: err.Error()}
}
