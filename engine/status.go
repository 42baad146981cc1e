package engine

import "fmt"

// A Status says how an attempt, and with its last attempt a run, ended.
type Status string

const (
	OK          Status = "ok"
	Failed      Status = "failed"
	TimedOut    Status = "timeout"
	Unreachable Status = "unreachable"
	Interrupted Status = "interrupted"
	Skipped     Status = "skipped"
)

// Statuses lists every status, the best first.
var Statuses = [...]Status{OK, Skipped, Failed, TimedOut, Unreachable, Interrupted}

// A Cause says why an attempt did not end ok.
type Cause string

const (
	CauseExit       Cause = "exit"        // failed: a command's exit code
	CauseSignal     Cause = "signal"      // failed: a command ended by a signal
	CauseScript     Cause = "script"      // failed: an error in the experiment file
	CauseResultType Cause = "result-type" // failed: a declared result of another type, or none at all
	CauseOutput     Cause = "output"      // failed: a command printed what the step cannot read
	CauseArtifact   Cause = "artifact"    // failed: a file that could not be had
	CauseBuild      Cause = "build"       // failed: a deployment that the run needs

	CauseStep    Cause = "step"    // timeout: a step's
	CauseCommand Cause = "command" // timeout: a command's

	CauseLink      Cause = "link"       // unreachable: the connection broke
	CauseLease     Cause = "lease"      // unreachable: nothing heard for too long
	CauseProtocol  Cause = "protocol"   // unreachable: the agent said something impossible
	CauseAgentDied Cause = "agent-died" // unreachable
	CauseRebooted  Cause = "rebooted"   // unreachable: another boot of the host

	CauseUser       Cause = "user"        // interrupted
	CauseEngineDied Cause = "engine-died" // interrupted
	CauseSuspended  Cause = "suspended"   // interrupted: a machine slept
	CauseStorage    Cause = "storage"     // interrupted: the record could not be written

	CauseAsked Cause = "asked" // skipped or failed: the step said so
)

// Mistaken reports whether the experiment file is at fault, so that a run which
// ended so would end so again.
func (c Cause) Mistaken() bool { return c == CauseScript || c == CauseResultType }

// Resumes reports whether a run that ended so is repeated when its campaign
// goes on, without being asked for.
func (s Status) Resumes() bool { return s == Interrupted || s == Unreachable }

// HostGone reports whether an end says that a host was out of reach for a while, or
// asleep: what ran there is over.
func HostGone(s Status, c Cause) bool {
	return s == Unreachable || s == Interrupted && c == CauseSuspended
}

// Bad reports whether an attempt that ended so has neither measured anything nor
// skipped it as its step asked. A run without an attempt is not bad.
func (s Status) Bad() bool { return s != "" && s != OK && s != Skipped }

// A Failure is an error that knows which status and cause it gives an attempt.
type Failure struct {
	Status  Status
	Cause   Cause
	Message string // one line, without the host's name; text from a host is quoted in it
	Host    string // or empty
	Step    string // or empty
	Trace   []Pos  // places in the script, innermost last
	Err     error  // what is underneath, or nil
}

// Error is the message, after the host that is blamed.
func (f *Failure) Error() string {
	if f.Host == "" {
		return f.Message
	}
	return fmt.Sprintf("host %q: %s", f.Host, f.Message)
}

func (f *Failure) Unwrap() error { return f.Err }
