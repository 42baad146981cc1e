// Package journal is the write-ahead record of a campaign: what was planned,
// what was started and what ended, in the order in which it became durable.
//
//	frame     one commit: a line with number, length, chained checksum, events
//	event     OPEN, PLAN, INPUT, START, DONE, FENCE, DECIDE, DROP, CLOSE
//	segment   a file of frames; only the last one grows
//	index     what a segment's events amount to, so that it need not be read
//	state     what all events amount to
//
// A Journal commits events in groups: what callers bring while a frame is being
// written goes into the next one. When a commit returns, its events are durable.
//
// Invariant: frame n+1 is not written before frame n is durable, so at most the
// last frame can be torn. After any error of storage nothing is written any
// more. What is damaged is refused with file and offset, never guessed.
//
// It deliberately does not know where a campaign lies, who holds its lock, or
// what tables are made of it.
package journal
