package engine

import (
	"context"
	"io/fs"
	"time"
)

// A Host is a machine that plays a role. Its methods may be called from several
// goroutines.
type Host interface {
	// Info says what is known of the host since it was reached.
	Info() HostInfo

	// Reach makes sure that the host answers, connecting again if it must.
	Reach(ctx context.Context) error

	// Open begins an attempt of a run on the host: a folder of its own and, if
	// asked for, sampling.
	Open(ctx context.Context, a Attempt) (Workspace, error)

	// Fence makes sure that nothing of an attempt runs on the host any more.
	Fence(ctx context.Context, a Attempt) (Fenced, error)

	// Close ends the connection; what still runs on the host is killed.
	Close() error
}

// HostInfo describes a host.
type HostInfo struct {
	Name       string
	Address    string // where other hosts reach it
	Interfaces map[string]string
	Tags       []string
	BootID     string
	Shared     bool // another campaign may use it at the same time
	Facts      map[string]Value
	Clock      ClockOffset
}

// ClockOffset is what must be added to a host's clock to get the controller's,
// and the bound of its error.
type ClockOffset struct {
	Offset time.Duration
	Bound  time.Duration
}

// An Attempt is one try at executing a run. Nonce is random and never used
// twice. The attempt number counts from 1 over the whole campaign.
type Attempt struct {
	Run      RunID
	Number   int
	Nonce    string
	Sampling Sampling
	Readings ReadingSink // or nil
	Output   OutputSink  // or nil: live output is not wanted
}

// ReadingSink takes the readings of one host in their order. It must not block.
type ReadingSink interface {
	Put(Reading)
}

// OutputSink takes the output of commands as it comes.
type OutputSink interface {
	Write(host, command string, stderr bool, data []byte)
}

// Fenced says how an attempt was made sure to be over on a host.
type Fenced struct {
	How    string // "swept" or "rebooted"
	Killed []string
}

// Rebooted reports whether the host was booted anew since the attempt began.
func (f Fenced) Rebooted() bool { return f.How == "rebooted" }

// A Workspace is a host's part in one attempt. Paths that are not absolute are
// relative to Dir.
type Workspace interface {
	Dir() string
	Run(ctx context.Context, c Command) (Output, error)
	Start(ctx context.Context, c Command, ready Ready) (Process, error)

	// Put copies a file or a folder of the controller to the host; Get the
	// other way. Contents are compared by hash; what is equal is not sent.
	Put(ctx context.Context, local, path string) error
	Get(ctx context.Context, path, local string) error
	ReadFile(ctx context.Context, path string, limit int64) ([]byte, error)
	WriteFile(ctx context.Context, path string, data []byte, mode fs.FileMode) error

	// WaitPort returns once something listens on a TCP port of the host.
	WaitPort(ctx context.Context, port int) error

	// Close ends the attempt on this host: sampling, every process that was
	// started, and the folder. It is called once, also after a failure, with a
	// context that lives long enough for it.
	Close(ctx context.Context) (Closing, error)
}

// A Command is an argv and its surroundings. No shell is involved.
type Command struct {
	Argv    []string
	Env     []string // NAME=value, added to the host's
	Dir     string   // or empty: the workspace's
	Stdin   []byte
	Timeout time.Duration // 0 is none
	Sudo    bool
	Name    string // for messages and logs; empty: Argv[0]
}

// Ready says when a started process can be used. At most one of port, pattern and
// file is set.
type Ready struct {
	Port    int
	Pattern string // a regular expression that a line of its output matches
	File    string
	Timeout time.Duration
}

// A Process is a command that runs in the background.
type Process interface {
	Wait(ctx context.Context) (Output, error)
	Stop(ctx context.Context) (Output, error)
	Stdout(ctx context.Context) ([]byte, error) // so far
}

// An Output is how a command ended.
type Output struct {
	Argv       []string
	Background bool   // it was started, not run
	Code       int    // -1 where a signal ended it
	Signal     string // "SIGKILL", or empty
	TimedOut   bool
	Stopped    bool // by Stop, or by the end of its run
	Stdout     Stream
	Stderr     Stream
	Started    time.Time // the controller's clock
	Seconds    float64   // monotonic, on the host
	Usage      Usage
}

// A Stream is what a command printed. Data holds at most the limit that was
// set; Size is the true length.
type Stream struct {
	Data      []byte
	Size      int64
	Truncated bool
}

// Usage is the rusage of a command's whole process tree, in seconds, KiB and
// counts: the 16 fields of getrusage(2).
type Usage struct {
	UserSeconds, SystemSeconds                      float64
	MaxRSS, SharedText, UnsharedData, UnsharedStack int64
	MinorFaults, MajorFaults, Swaps                 int64
	BlocksIn, BlocksOut                             int64
	MessagesSent, MessagesReceived                  int64
	Signals                                         int64
	VoluntarySwitches, InvoluntarySwitches          int64
}

// Closing is what the end of an attempt on a host brought to light.
type Closing struct {
	Killed     []string // processes that had to be killed, named
	Unkillable []string // processes that could not be: the host takes no run
	Readings   int
	Missed     int     // readings that came too late or not at all
	SamplerCPU float64 // seconds
	SampleSize int64   // bytes
	Warnings   []string
}
