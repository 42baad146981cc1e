// Package act executes the functions of an experiment file: it makes an
// engine.StepFunc of a function, and gives the function its ctx, by which it
// runs commands, moves files, meets other steps and reports.
//
// A failed command, a timeout and a mistake in the file each become an
// engine.Failure with status, cause and the places of the script. Words of a
// command are never given to a shell.
//
// Invariant: values are frozen before a function runs, each call has a thread
// of its own, and every call that blocks ends with its context.
//
// It deliberately knows neither how hosts are reached nor how results are kept.
package act
