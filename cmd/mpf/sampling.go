package main

import (
	"fmt"
	"io"
	"time"

	"mpf/engine"
	"mpf/results/campaign"
	"mpf/results/parquet"
)

// adjust applies what the command line says of sampling, to hosts of all roles.
func (r *runOptions) adjust(e *engine.Experiment) error {
	change := func(s *engine.Sampling) { s.Off = s.Off || r.noPerf }
	if r.period != "" {
		period, err := parsePeriod(r.period)
		if err != nil {
			return err
		}
		change = func(s *engine.Sampling) { s.Off, s.Period = s.Off || r.noPerf, period }
	}
	change(&e.Sampling)
	for _, role := range e.Roles {
		if role.Sampling != nil {
			change(role.Sampling)
		}
	}
	return nil
}

// parsePeriod reads the time between two readings, in the bounds that the language
// has.
func parsePeriod(text string) (time.Duration, error) {
	period, err := time.ParseDuration(text)
	if err != nil || period < 10*time.Millisecond || period > time.Hour {
		return 0, &usageError{message: fmt.Sprintf("--sample-period %q: is no time from 10ms to 1h", text), todo: "--sample-period 100ms"}
	}
	return period, nil
}

// newSegment begins a file of samples.
func newSegment(w io.Writer, host string) (campaign.Segment, error) {
	return parquet.NewSegment(w, host)
}
