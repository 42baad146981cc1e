// Package script is the boundary between Go and Starlark: documented builtins,
// bounded calls, and errors that keep their place in the file.
//
// A builtin is declared with its Doc, so that what `mpf help language` prints
// is the text beside the code. A call of a script's function gets a thread of
// its own, a bound of steps and the caller's context.
//
// Invariant: no panic of a builtin leaves this package, and no call outlives
// its context by more than a short grace.
//
// It deliberately knows no word of the experiment language.
package script
