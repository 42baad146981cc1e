package wire

import (
	"strconv"
	"time"
)

// An Operation is what a call asks of the agent.
type Operation string

const (
	OpOpen    Operation = "open"    // begin an attempt; the call's ID names the workspace
	OpClose   Operation = "close"   // end it
	OpRun     Operation = "run"     // a command, to its end
	OpStart   Operation = "start"   // a command, until it is ready; the call's ID names the process
	OpWait    Operation = "wait"    // for a process
	OpStop    Operation = "stop"    // a process
	OpStdout  Operation = "stdout"  // of a process, so far
	OpSeen    Operation = "seen"    // the output of a process need not be sent as it comes any more
	OpPut     Operation = "put"     // files to the host, over the call's stream
	OpGet     Operation = "get"     // files from the host
	OpRead    Operation = "read"    // a file whole, in the reply's stream
	OpPort    Operation = "port"    // wait until something listens
	OpFence   Operation = "fence"   // kill what is left of an attempt
	OpFacts   Operation = "facts"   // describe the host
	OpClock   Operation = "clock"   // tell the time
	OpLook    Operation = "look"    // read small files, or what a program prints
	OpKeep    Operation = "keep"    // store a script that is run when the agent ends
	OpRestore Operation = "restore" // run it now
)

// A ControllerHello is the controller's first message.
type ControllerHello struct {
	Host     string        `json:"host"`               // its name in the cluster file
	Campaign string        `json:"campaign,omitempty"` // whose earlier agents are ended
	Engine   string        `json:"engine"`             // who asks, for the host lock's refusal
	Shared   bool          `json:"shared,omitempty"`
	Covered  bool          `json:"covered,omitempty"` // another agent of the campaign locks the machine
	Beat     time.Duration `json:"beat"`
	Lease    time.Duration `json:"lease"`
	Grace    time.Duration `json:"grace"`
}

// An AgentHello answers it.
type AgentHello struct {
	BootID   string   `json:"boot_id"`
	PID      int      `json:"pid"`
	UID      int      `json:"uid"`
	User     string   `json:"user,omitempty"`     // its name, where the host says it
	Swept    []string `json:"swept,omitempty"`    // processes that an earlier agent left
	Left     []string `json:"left,omitempty"`     // those that could not be killed
	Restored []string `json:"restored,omitempty"` // what the scripts said that earlier agents left
	Warnings []string `json:"warnings,omitempty"`
}

// A Request is the head of a Call.
type Request struct {
	Do        Operation `json:"do"`
	Workspace uint32    `json:"ws,omitempty"`
	Attempt   *Attempt  `json:"attempt,omitempty"`
	Command   *Command  `json:"command,omitempty"`
	Ready     *Ready    `json:"ready,omitempty"`
	Watch     bool      `json:"watch,omitempty"` // send the output as it comes, until OpSeen
	Process   uint32    `json:"process,omitempty"`
	Path      string    `json:"path,omitempty"`
	Limit     int64     `json:"limit,omitempty"`
	Port      int       `json:"port,omitempty"`
	Tools     []string  `json:"tools,omitempty"`
	Paths     []string  `json:"paths,omitempty"` // of OpLook: patterns; else its Command
}

// An Attempt names an attempt and says how it is watched.
type Attempt struct {
	Run      string    `json:"run"`
	Number   int       `json:"number"`
	Nonce    string    `json:"nonce"`
	Sampling *Sampling `json:"sampling,omitempty"` // or nil: off
	Live     bool      `json:"live,omitempty"`     // output is wanted as it comes
}

// Tag is what marks every process of an attempt in its environment.
func (a Attempt) Tag() string { return a.Run + "/" + strconv.Itoa(a.Number) + "/" + a.Nonce }

// Sampling says what is read, and how often.
type Sampling struct {
	Period    time.Duration `json:"period"`
	Mounts    []string      `json:"mounts,omitempty"`
	Disks     []string      `json:"disks,omitempty"`
	NICs      []string      `json:"nics,omitempty"`
	Processes bool          `json:"processes,omitempty"`
	GPU       bool          `json:"gpu,omitempty"`
	Pressure  bool          `json:"pressure,omitempty"`
	Perf      []string      `json:"perf,omitempty"`
}

// A Command is an argv and its surroundings. Its stdin is the call's body, or
// the file StdinFile.
type Command struct {
	Argv      []string      `json:"argv"`
	Env       []string      `json:"env,omitempty"`
	Dir       string        `json:"dir,omitempty"`
	StdinFile string        `json:"stdin_file,omitempty"`
	Timeout   time.Duration `json:"timeout,omitempty"`
	Sudo      bool          `json:"sudo,omitempty"`
}

// Ready says when a started process can be used. A pattern of its output is the
// controller's to match.
type Ready struct {
	Port    int           `json:"port,omitempty"`
	File    string        `json:"file,omitempty"`
	Timeout time.Duration `json:"timeout,omitempty"`
}

// A Response is the head of a Reply. At most one field is set beside Error.
type Response struct {
	Error   *Error         `json:"error,omitempty"`
	Opened  *Opened        `json:"opened,omitempty"`
	Closed  *Closed        `json:"closed,omitempty"`
	Exit    *Exit          `json:"exit,omitempty"`
	Clock   *Clock         `json:"clock,omitempty"`
	Fenced  *Fenced        `json:"fenced,omitempty"`
	Facts   map[string]any `json:"facts,omitempty"`
	Message string         `json:"message,omitempty"`
}

// An Error is why a call failed, with the status and cause that it gives the
// attempt.
type Error struct {
	Status  string `json:"status"`
	Cause   string `json:"cause"`
	Message string `json:"message"`
	Missing bool   `json:"missing,omitempty"` // a file that does not exist
}

func (e *Error) Error() string { return e.Message }

// Clock is the host's wall clock when a call came and when it was answered.
type Clock struct {
	Came     int64 `json:"came"` // Unix nanoseconds
	Answered int64 `json:"answered"`
}

// Opened answers OpOpen.
type Opened struct {
	Dir   string `json:"dir"`
	Clock Clock  `json:"clock"`
}

// Closed answers OpClose.
type Closed struct {
	Killed     []string `json:"killed,omitempty"`
	Unkillable []string `json:"unkillable,omitempty"`
	Readings   int      `json:"readings,omitempty"`
	Missed     int      `json:"missed,omitempty"`
	SamplerCPU float64  `json:"sampler_cpu,omitempty"`
	SampleSize int64    `json:"sample_size,omitempty"`
	Warnings   []string `json:"warnings,omitempty"`
	Suspended  float64  `json:"suspended,omitempty"` // seconds that the host slept since OpOpen
	Clock      Clock    `json:"clock"`
}

// Fenced answers OpFence.
type Fenced struct {
	Killed []string `json:"killed,omitempty"`
	Left   []string `json:"left,omitempty"`
}

// An Exit is how a command ended. The body of its message, after what Data
// messages of the same ID brought, is stdout and then stderr.
type Exit struct {
	Code      int      `json:"code"`
	Signal    string   `json:"signal,omitempty"`
	TimedOut  bool     `json:"timed_out,omitempty"`
	Stopped   bool     `json:"stopped,omitempty"`
	Started   int64    `json:"started"` // Unix nanoseconds
	Seconds   float64  `json:"seconds"`
	Suspended float64  `json:"suspended,omitempty"` // seconds that the host slept meanwhile
	Stdout    Captured `json:"stdout"`
	Stderr    Captured `json:"stderr"`
	Usage     Usage    `json:"usage"`
}

// Captured says how much of a stream was printed, and how much of it was kept.
type Captured struct {
	Size int64 `json:"size"`
	Kept int64 `json:"kept"`
}

// Announced precedes what of an output does not fit in one message: the bytes to
// come before the Reply.
type Announced struct {
	Bytes int64 `json:"bytes"`
}

// Usage is the rusage of a process tree.
type Usage struct {
	UserSeconds         float64 `json:"utime"`
	SystemSeconds       float64 `json:"stime"`
	MaxRSS              int64   `json:"maxrss"`
	SharedText          int64   `json:"ixrss,omitempty"`
	UnsharedData        int64   `json:"idrss,omitempty"`
	UnsharedStack       int64   `json:"isrss,omitempty"`
	MinorFaults         int64   `json:"minflt"`
	MajorFaults         int64   `json:"majflt,omitempty"`
	Swaps               int64   `json:"nswap,omitempty"`
	BlocksIn            int64   `json:"inblock,omitempty"`
	BlocksOut           int64   `json:"oublock,omitempty"`
	MessagesSent        int64   `json:"msgsnd,omitempty"`
	MessagesReceived    int64   `json:"msgrcv,omitempty"`
	Signals             int64   `json:"nsignals,omitempty"`
	VoluntarySwitches   int64   `json:"nvcsw"`
	InvoluntarySwitches int64   `json:"nivcsw"`
}

// A LiveOutput is the head of an Output message.
type LiveOutput struct {
	Stderr   bool `json:"stderr,omitempty"`
	Followed bool `json:"followed,omitempty"` // asked for by Watch
}
