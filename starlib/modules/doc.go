// Package modules holds the modules that every experiment file has beside the
// language itself: json, math, re and struct.
//
// Invariant: they are pure functions of their arguments, safe at load time, in
// predicates and in steps, and what a host printed cannot exhaust the stack.
//
// It deliberately has no clock, no randomness, no files and no network.
package modules
