// Package progress says how a campaign gets on: on a terminal one line that is
// written again and again, elsewhere plain lines, at most one a second.
//
// Invariant: of things that are alike, the first few are told, and the rest are
// counted. It deliberately keeps nothing: all that it tells of is in the record.
package progress
