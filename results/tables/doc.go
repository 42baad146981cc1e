// Package tables derives the tables of a campaign from its record and publishes
// them as Parquet files: runs, steps, usage and samples.
//
//	Publisher  follows a record and publishes what it holds so far
//	Publish    does so once
//	Runs       reads runs.parquet back
//	Document   describes every column
//
// A table's rows stand in the order of the design: by plan, position in the
// plan, attempt. A store keeps them in shards, each a range of positions: what
// was encoded stays encoded, and publishing again costs what is new.
//
// A publisher that goes on with the tables of an earlier invocation takes over
// their row groups as they are, if the mark that was left beside them fits the
// record and the files to the byte.
//
// Invariants: a published file is complete and was opened again before it took
// the old one's place; an error leaves the old one alone. The same runs give the
// same bytes, in whichever order they ended.
//
// It deliberately holds nothing that the record does not hold: any of the files
// may be deleted and comes back.
package tables
