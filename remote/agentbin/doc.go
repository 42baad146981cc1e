// Package agentbin supplies the agent's binary for a kind of host.
//
// A built mpf carries the agents, compressed, once `go generate` has made them.
// Under `go run`, or where the agent's source has changed since, it makes one
// with the go tool and keeps it in the user's cache. Where neither is to be had,
// mpf itself is the agent of hosts that are like the controller.
//
// Invariant: the same source and go tool give the same binary, so that a host
// which has it is not sent it again.
package agentbin

//go:generate go run mpf/remote/agentbin/generate
