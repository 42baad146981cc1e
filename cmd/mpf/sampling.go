package main

import (
	"fmt"
	"io"
	"time"

	"mpf/engine"
	"mpf/results/campaign"
	"mpf/results/parquet"
)

// adjust applies what the command line says of sampling.
func (r *runOptions) adjust(e *engine.Experiment) error {
	if r.noPerf {
		e.Sampling.Off = true
	}
	if r.period == "" {
		return nil
	}
	period, err := parsePeriod(r.period)
	e.Sampling.Period = period
	return err
}

// parsePeriod reads the time between two readings.
func parsePeriod(text string) (time.Duration, error) {
	period, err := time.ParseDuration(text)
	if err != nil || period < 10*time.Millisecond {
		return 0, &usageError{message: fmt.Sprintf("--sample-period %q: is no time of 10ms or more", text), todo: "--sample-period 100ms"}
	}
	return period, nil
}

// newSegment begins a file of samples.
func newSegment(w io.Writer, host string) (campaign.Segment, error) {
	return parquet.NewSegment(w, host)
}
