// Package engine holds the nouns and the rules of an experiment.
//
// An Experiment declares variables, each with its levels; a Treatment is one
// assignment of levels, in which a variable whose condition does not hold is
// absent; a Run is one replicate of one treatment, known by the hash of its
// content and never by its position. The packages below build on these nouns:
//
//	engine/space    counts, finds and ranks treatments without listing them
//	engine/order    seeded bijections on ranks
//	engine/partial  seeded choices of part of a space
//	engine/design   the runs of an experiment, in their order
//	engine/execute  the run loop
//
// Invariant: the engine imports the standard library only and no other package
// of mpf. What it needs from outside it declares as a small interface: Host and
// Workspace (package remote supplies them), Ledger (package results), StepFunc
// (package starlib).
//
// It deliberately knows no file format, no protocol and no script language.
package engine
