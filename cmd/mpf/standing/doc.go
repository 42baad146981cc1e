// Package standing says how a campaign stands against a design: what it has of
// its runs, what has changed since they were measured, what its stopping rules
// have settled, and what is left to do.
//
// Invariant: it changes no record. It deliberately speaks to nobody: others say
// what it finds.
package standing
