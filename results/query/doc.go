// Package query answers questions about tables: which rows (Where), what they
// come to by treatment (Summarize), what went wrong (Failures), and prints the
// answers as text for terminals of any width or as JSON.
//
// Invariant: a summary says what it left out. Doubts are warnings, values of
// the answer, never only text.
//
// It deliberately reads no file: it works on frames, wherever they come from.
package query
