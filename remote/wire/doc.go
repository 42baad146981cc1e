// Package wire is what controller and agent say to each other.
//
// An agent is started with AgentArgument as its only argument. The controller
// opens with a line that holds the token of this dial; the agent answers with
// its preamble, and from then on both send frames. A frame carries one message:
// an ID, a JSON head and a binary body.
//
// Invariant: nothing is allocated for a frame before its length was checked, and
// no sequence of bytes makes a decoder panic.
//
// It deliberately imports no other package of mpf and knows no operating system,
// so that the agent stays small.
package wire
