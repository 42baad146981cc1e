package remote

import (
	"context"
	"io"
	"time"
)

// A Transport starts the agent on one host. Dial is called again when a link
// broke; each call starts an agent of its own.
type Transport interface {
	Dial(ctx context.Context) (Stream, error)
	String() string
}

// A Stream carries frames to an agent and back. Closing it ends the agent.
type Stream interface {
	io.ReadWriteCloser

	// Diagnostics is the end of what the agent, or the program that was to
	// start it, printed on stderr: it explains a failure.
	Diagnostics() string
}

// A VerifiedStream knows which agent it started. The agent that answers must
// have that hash.
type VerifiedStream interface {
	Stream
	AgentSHA256() string
}

// A HostSpec is what the cluster file says of a host.
type HostSpec struct {
	Name       string
	Address    string // where other hosts reach it
	Interfaces map[string]string
	Tags       []string
	Shared     bool     // other campaigns may use it meanwhile
	Covered    bool     // it is part of a machine that another host of the campaign locks
	Tools      []string // programs whose versions are facts
}

// LinkOptions are the same for all hosts of a campaign. The zero value of a
// field stands for its default.
type LinkOptions struct {
	Campaign string        // agents that an earlier invocation of it left behind are ended; empty: none are
	Beat     time.Duration // 5 s, less for a short lease
	Lease    time.Duration // 30 s: an agent that hears nothing for so long kills what it runs and ends
	Grace    time.Duration // 5 s between SIGTERM and SIGKILL, less for a short lease
	GiveUp   time.Duration // lease + grace + 10 s: a host silent for so long is unreachable
}
