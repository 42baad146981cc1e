// Package remote reaches hosts and acts on them.
//
// A Transport starts the agent on one host and gives a Stream to it; Connect
// makes an engine.Host of the two, reconnecting when the link broke. Around it:
//
//	remote/wire      the frames and messages between controller and agent
//	remote/agent     the program on the host: runs, kills, reads, samples
//	remote/sample    readings of a host's counters
//	remote/link      the controller's end of one connection
//	remote/agentbin  where the agent's binary comes from
//	remote/command   transports made of a local program's stdin and stdout
//
// Invariant: what a link began ends with it. A host on which anything of an
// attempt may still run takes no other one until that was fenced.
//
// It deliberately knows nothing of scripts and of how results are stored.
package remote
