// Package planned writes what a plan says, for people and for programs: how large
// a design is, in which order it is executed, what it means for a campaign and
// what it will take.
//
// Invariant: both forms say the same. It deliberately decides nothing: package
// design counts, package standing compares.
package planned
