// Package agentbin supplies the agent's binary for a kind of host.
//
// A built mpf carries the agents, compressed; under `go run` it makes one with
// the go tool and keeps it in the user's cache; where neither is to be had, mpf
// itself is the agent of hosts that are like the controller.
package agentbin
