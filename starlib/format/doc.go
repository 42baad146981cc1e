// Package format lays experiment files out in the one way that the formatter of
// Bazel's Starlark has.
//
// Invariant: what is formatted means what it meant. It deliberately orders nothing
// anew and has no settings.
package format
