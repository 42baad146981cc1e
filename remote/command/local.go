package command

import (
	"context"
	"os"

	"mpf/remote"
	"mpf/remote/wire"
)

// Local runs the agent on this machine. The program that runs now is the agent,
// unless Agent names another one.
type Local struct {
	Agent string // a path, or empty
}

var _ remote.Transport = Local{}

// Dial starts an agent.
func (t Local) Dial(ctx context.Context) (remote.Stream, error) {
	agent := t.Agent
	if agent == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		agent = self
	}
	return startChild([]string{agent, wire.AgentArgument})
}

func (t Local) String() string { return "local" }
