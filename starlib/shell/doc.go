// Package shell finds the names that a script of sh expands and that nothing
// gives a value, so that a misspelt one is found before anything runs.
//
// Invariant: what is reported is a mistake. Where a script can set names in ways
// that cannot be seen, nothing is reported of it.
//
// It deliberately does not parse the shell's language, nor judge what only the
// host knows: its environment.
package shell
