// Package columns is the model of a table: what its columns are called, mean
// and hold, and the values in them before any file format.
//
// A Column has a name, a type, a role (variable, result, identity or outcome)
// and what a reader needs to understand it: unit, levels, description. A Vector
// holds the values of one column, each with the kind that it had when it was
// returned, so that the type of a column can be settled late: a Mix gathers the
// kinds and joins them without loss, or says that they do not join.
//
// Invariant: the type and the order of columns depend on which runs there are,
// never on the order in which they ended.
//
// It deliberately knows no file format and no journal.
package columns
