package starlib

import (
	"time"

	"mpf/engine"
	"mpf/starlib/script"
)

// Options are the surroundings of a Load. The zero value is a good one.
type Options struct {
	Flags map[string]string // given by --flag name=value

	// Print takes what the file prints, at load time and later in steps, from
	// several goroutines.
	Print func(engine.Pos, string)

	MaxSteps uint64        // of the interpreter, while loading
	Timeout  time.Duration // of loading
}

// loadTimeout bounds a load unless Options say otherwise.
const loadTimeout = 10 * time.Second

func (o Options) limits() script.Limits {
	l := script.Limits{Steps: o.MaxSteps, Time: o.Timeout, Memory: script.MemoryPerLoad, Print: o.Print}
	if l.Steps == 0 {
		l.Steps = script.StepsPerLoad
	}
	if l.Time == 0 {
		l.Time = loadTimeout
	}
	return l
}
