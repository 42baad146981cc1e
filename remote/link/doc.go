// Package link is the controller's end of one connection to an agent.
//
// Open takes a stream to an agent that was just started, shakes hands and keeps
// the connection alive. The Link begins attempts, each of which is an
// engine.Workspace, and fences those that others left.
//
// Invariant: every call is answered once, by the agent or by the end of the
// link. A link that broke stays broken; what ran over it is unreachable.
//
// It deliberately does not dial, and does not know which transport carries it.
package link
