package engine

import (
	"context"
	"time"
)

// A Ledger is the record of a campaign. An attempt is opened before anything
// is asked of a host and closed once; both are durable when the call returns.
// Its methods may be called from several goroutines.
type Ledger interface {
	// State says what the record holds of a run.
	State(RunID) RunState

	// Over returns the places of runs that are known to have ended ok, in the
	// design that the next attempt belongs to. It may leave out some, of which
	// State says it.
	Over() Places

	// Results returns what the row of a run holds; none if it has no row.
	Results(RunID) (Results, error)

	// Open records that an attempt starts.
	Open(ctx context.Context, s Start) (AttemptLog, error)

	// Unfinished lists the attempts that an engine opened and died with. Each
	// is fenced on all its hosts, then abandoned, before its run starts again.
	Unfinished() []Start

	// Unfenced lists the closed attempts that make the rows of runs whose hosts were
	// lost, as far as they are of earlier invocations, which may have ended before
	// such a host was back. Each is fenced on its hosts before anything else starts.
	Unfenced() ([]Start, error)

	// Fence records that an attempt is over on a host, be it open or closed. A row
	// whose host turns out to have been rebooted says so from then on.
	Fence(ctx context.Context, a Attempt, host string, f Fenced) error

	// Abandon closes an unfinished attempt as interrupted, its engine dead.
	Abandon(ctx context.Context, s Start) error

	// SetupDir returns a folder of the controller for what setup steps of this
	// invocation leave behind.
	SetupDir() (string, error)

	// Decide records a decision about the design, such as the end of a
	// treatment's replicates.
	Decide(ctx context.Context, d Decision) error
}

// A RunState is what a ledger holds of a run. The zero value is a run that was
// never started.
type RunState struct {
	Status   Status // of its row; empty: no attempt has ended
	Attempts int    // started
	Open     bool   // the last attempt has no end
}

// A Start is the beginning of an attempt.
type Start struct {
	Run     Run
	Attempt int
	Nonce   string
	Group   string
	Hosts   []RoleHost
	Wall    time.Time
}

// A RoleHost is a host playing a role.
type RoleHost struct {
	Role, Host, BootID string
	Shared             bool // another campaign may use the host at the same time
}

// An AttemptLog takes what an open attempt leaves behind.
type AttemptLog interface {
	// Dir is the folder of the controller whose files will belong to the
	// attempt. It is made when it is first asked for: an attempt that leaves no
	// files costs none.
	Dir() string
	Readings(host string) ReadingSink
	Done(ctx context.Context, d Done) error
}

// A Done is the end of an attempt.
type Done struct {
	Status   Status
	Cause    Cause
	Message  string
	Host     string
	Step     string
	Trace    []Pos
	Results  Results
	Wall     time.Time
	Seconds  float64 // monotonic
	Gap      float64 // seconds since the end of the run before it on these hosts
	Steps    []StepRecord
	Hosts    []HostRecord
	Deployed []Deployed
	Warnings []Warning
}

// Rebooted tells a reboot from a connection that broke, where that is known of the
// host that is blamed.
func (d *Done) Rebooted() {
	if d.Status == Unreachable && d.Cause != CauseRebooted {
		d.Cause = CauseRebooted
		d.Message = "it was rebooted; what was seen of it: " + d.Message
	}
}

// A Warning is a doubt about a row, kept with it.
type Warning struct {
	Code string // stable, for programs: "clock-offset"
	Text string
}

// A StepRecord is a step on one host, with the commands that it ran.
type StepRecord struct {
	Step, Role, Host string
	Status           Status
	Message          string
	Start            time.Time // the controller's clock
	Seconds          float64
	Commands         []CommandRecord
	Spans            []SpanRecord
}

// A CommandRecord is one command of a step. What it printed lies in the files
// "stdout" and "stderr" of the attempt's folder, from the offsets given here.
type CommandRecord struct {
	Argv           []string
	Code           int
	Signal         string
	TimedOut       bool
	Background     bool
	Start          time.Time
	Seconds        float64
	Usage          Usage
	Stdout, Stderr Slice
}

// A Slice is a command's part of an output file. Size is the true length of
// what was printed, Kept the bytes that the file holds of it.
type Slice struct {
	Offset, Kept, Size int64
}

// A SpanRecord is a named stretch of time within a step.
type SpanRecord struct {
	Name       string
	Start      time.Time
	Seconds    float64
	Attributes map[string]Value
}

// A HostRecord is a host's part in an attempt.
type HostRecord struct {
	Host   string
	Roles  []string
	BootID string
	Clock  ClockOffset
	Ended  Closing

	Sampling *Sampling // as it was asked for; nil: as the plan says
}

// A Decision is a rule applied at the end of a block.
type Decision struct {
	Rule      string
	Treatment Treatment
	Rank      uint64
	Block     int
	Reason    string
}
