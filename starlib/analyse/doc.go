// Package analyse is what an analysis file finds beside Starlark's own
// functions: rows of results that were measured before, statistics over them,
// tables that it makes and checks that it wants to hold.
//
//	Session  one execution of a file: what it read, made and checked
//	Row      a row of a table, its columns as fields
//
// Invariant: it reads and changes nothing itself; where rows come from is the
// caller's matter, and so is where tables go.
//
// It deliberately has no data frame: lists, dicts and comprehensions are one.
package analyse
