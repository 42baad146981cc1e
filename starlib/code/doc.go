// Package code reads the syntax of experiment files: it parses them, explains
// mistakes of syntax, and finds again in them what a function does and what is
// used where.
//
// A file that has mistakes is mended in memory where that is possible, so that
// the mistakes behind the first are found too.
//
// Invariant: two functions with one digest do the same on the same treatment.
//
// It deliberately executes nothing and knows no word of the language.
package code
