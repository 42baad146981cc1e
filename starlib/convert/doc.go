// Package convert carries values over the boundary between Starlark and the
// engine: plain values both ways, and the typed parameters of builtins, which
// are parsed while arguments are unpacked so that an error names the parameter.
//
// Invariant: a plain engine.Value survives the way to Starlark and back, type
// included. Integers beyond 64 bits and text that is not UTF-8 are refused.
//
// It deliberately converts nothing silently: no float becomes an int, no number
// a string.
package convert
