package campaign

import (
	"context"
	"io"

	"mpf/engine"
	"mpf/results/lastword"
	"mpf/results/record"
)

// Durability says what an acknowledged run survives.
type Durability string

const (
	Strict Durability = "strict" // the loss of power
	OS     Durability = "os"     // the death of mpf, not of the machine
)

// A Config is what a campaign is used with.
type Config struct {
	MPF        string     // version
	Durability Durability // empty: Strict
	Clock      engine.Clock
	Segments   NewSegment // makes sample segments; nil: readings are not kept
	Tables     Tables     // or nil: none are published
	Measured   []string   // hosts that are this machine: tables wait until no attempt on them is open

	reserve int64        // bytes; 0: as many as usual
	lead    func() error // or nil: makes durable what leads to the directory
}

func (c Config) withDefaults() Config {
	if c.Durability == "" {
		c.Durability = Strict
	}
	if c.reserve == 0 {
		c.reserve = lastword.Size
	}
	if c.Clock == nil {
		c.Clock = engine.SystemClock{}
	}
	return c
}

// A Segment writes the readings of a host during an attempt.
type Segment interface {
	engine.ReadingSink
	Dropped() int64 // readings that came too fast to be kept
	Close() (rows int64, err error)
}

// NewSegment begins a segment that is written to w.
type NewSegment func(w io.Writer, host string) (Segment, error)

// Tables are derived from a campaign and replaced whole.
type Tables interface {
	// Publish writes the tables of a source into the campaign's directory.
	// Final says that nothing will follow in this invocation.
	Publish(ctx context.Context, source record.Source, final bool) ([]record.File, error)
}
