package command

import (
	"context"
	"os"

	"mpf/remote/wire"
)

// Local runs the agent on this machine. The program that runs now is the agent,
// unless Agent names another one.
type Local struct {
	Prefix []string // argv of what the agent is started through, or none
	Agent  string   // a path, or empty
}

// Dial starts an agent.
func (t Local) Dial(ctx context.Context) (*Stream, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	agent := t.Agent
	if agent == "" {
		self, err := os.Executable()
		if err != nil {
			return nil, err
		}
		agent = self
	}
	return start(append(append([]string{}, t.Prefix...), agent, wire.AgentArgument))
}

func (t Local) String() string { return "local" }
