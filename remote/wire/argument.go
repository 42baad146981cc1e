package wire

// AgentArgument is the only argument of an agent: mpf itself becomes one when
// started with it.
const AgentArgument = "agent"
