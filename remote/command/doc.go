// Package command makes transports of local programs: the stream to an agent is
// a program's stdin and stdout.
//
// Local runs the agent on this machine. Via runs it wherever a given argv leads,
// such as another network namespace, a container, or a node of an allocation; the
// agent gets there through the same stream, by a few words of sh that store it
// under its hash, once.
//
// It deliberately knows nothing of any of these programs but that they pass
// bytes on unchanged.
package command
