package agent

import (
	"fmt"
	"os"

	"mpf/remote/wire"
)

// workerArgument makes an agent its worker.
const workerArgument = "worker"

// Exit codes of an agent. They are seen in a transport's diagnostics only.
const (
	exitOK     = 0
	exitFailed = 1
	exitLease  = 3
)

// Invoked reports whether a program with these arguments was started as an
// agent. Its main asks before it does anything else.
func Invoked(args []string) bool { return len(args) > 1 && args[1] == wire.AgentArgument }

// Main is an agent's whole life; it returns the exit code. Args are those of the
// program.
func Main(args []string) int {
	var err error
	code := exitOK
	if len(args) > 2 && args[2] == workerArgument {
		code, err = work()
	} else {
		code, err = guard(args)
	}
	if err != nil {
		fmt.Fprintf(os.Stderr, "mpf agent: error: %v\n", err)
	}
	return code
}
