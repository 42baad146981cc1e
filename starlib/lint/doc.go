// Package lint reads the functions of an experiment before the first run and
// finds what cannot go well: declarations in a step, things that ctx does not
// have, names that a script is not given.
//
// Invariant: what it reports would fail a run. It deliberately executes nothing
// and guesses nothing: what can be known at run time only is left to it.
package lint
