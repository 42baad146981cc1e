// Package execute runs the runs of a design on hosts and keeps their ends in a
// ledger.
//
// A Loop walks the blocks of a design in order, asks the ledger which runs are
// still missing, and gives them to its groups: disjoint sets of hosts, each of
// which executes one run at a time. An attempt opens a workspace on every host
// that takes part, executes the stages of the timeline, cleans up, closes the
// workspaces and records its end.
//
// Invariants: an attempt is opened in the ledger before a host is asked for
// anything, and closed there before the next one starts on its hosts. A failure
// is a record, never a missing one. After an error of the ledger nothing more
// is scheduled.
//
// It deliberately keeps no table, prints nothing and knows no protocol.
package execute
