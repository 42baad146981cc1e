//go:build !linux

package agent

import (
	"fmt"
	"os"

	"mpf/remote/wire"
)

// Invoked reports whether a program with these arguments was started as an
// agent.
func Invoked(args []string) bool { return len(args) > 1 && args[1] == wire.AgentArgument }

// Main says that this system has no agent.
func Main(args []string) int {
	fmt.Fprintln(os.Stderr, "mpf: error: an agent runs on linux only")
	return 2
}
