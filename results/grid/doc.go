// Package grid lays texts out in columns for a terminal: a letter of an East
// Asian script takes two cells, a combining mark none.
//
// Invariant: rows that are rendered together begin each column in the same cell.
//
// It deliberately knows neither colours nor the terminal: whoever prints says how
// wide that is.
package grid
