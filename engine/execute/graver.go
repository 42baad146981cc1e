package execute

import (
	"errors"
	"fmt"
	"time"

	"mpf/engine"
)

// graver tells which of two errors ended an attempt: the first, of which the
// second is a consequence, unless only the second says that a host was gone
// before or slept. Then it is the first that is the consequence: a client fails
// because its server's machine lost power.
func graver(first, second error) error {
	cause, blamed := new(engine.Failure), new(engine.Failure)
	if first == nil || !errors.As(second, &cause) || !engine.HostGone(cause.Status, cause.Cause) {
		return firstError(first, second)
	}
	if errors.As(first, &blamed) && engine.HostGone(blamed.Status, blamed.Cause) {
		return first
	}
	known := *cause
	known.Message = fmt.Sprintf("%s; before that was noticed: %v", cause.Message, first)
	known.Step, known.Trace = blamed.Step, blamed.Trace
	return &known
}

// silentClose is the failure of a host that did not end an attempt in time,
// though its link is not known to be broken.
func silentClose(name string, limit time.Duration, err error) error {
	return &engine.Failure{
		Status: engine.Unreachable, Cause: engine.CauseLink, Host: name, Err: err,
		Message: fmt.Sprintf("it did not end the run within %v", limit),
	}
}
