package engine

import (
	"context"
	"time"
)

// A RunContext is what a step sees of the run that it is part of.
type RunContext struct {
	Experiment *Experiment
	Run        Run
	Attempt    int
	Step       *Step
	Role       string
	Host       HostInfo  // the host that executes the step
	Rank       int       // of the host among those of its role
	Link       string    // of a step that runs at the ends of a link, or empty
	Source     string    // where the role's deployment lies on the host, or empty
	Workspace  Workspace // on that host
	Seed       uint64    // of the run, derived from the experiment's

	Cluster View
	Meeting Meeting
	Journal StepJournal
}

// View is what a run knows of the hosts that take part in it.
type View interface {
	Hosts(role string) ([]HostInfo, error)
	Link(name string) (Link, error)
}

// A Link joins two ends.
type Link struct {
	Name string
	Ends [2]LinkEnd
}

// A LinkEnd is an interface of a host.
type LinkEnd struct {
	Host, Interface, Address string
}

// Meeting is where the steps of a run that run at once wait for each other.
type Meeting interface {
	// Barrier returns once n steps wait at the barrier of that name.
	Barrier(ctx context.Context, name string, n int) error
	// Signal lets every Await of that name pass, now and later in the run.
	Signal(name string)
	Await(ctx context.Context, name string) error
}

// StepJournal keeps what a step leaves behind beside its results.
type StepJournal interface {
	Log(text string)
	Command(o Output)
	Span(name string, start time.Time, d time.Duration, attributes map[string]Value)
	// FilePath returns where a file of that name, fetched from the host, is
	// to be written.
	FilePath(name string) (string, error)
}
