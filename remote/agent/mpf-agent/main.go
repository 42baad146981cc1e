// Command mpf-agent is the agent alone, small enough to be sent to every host.
package main

import (
	"os"

	"mpf/remote/agent"
)

func main() { os.Exit(agent.Main(os.Args)) }
