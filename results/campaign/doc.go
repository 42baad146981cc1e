// Package campaign is the directory of a campaign: what an experiment planned,
// ran and found.
//
//	LOCK  reserve  latest files of one invocation; see their types
//	plan/0001.json            what was planned
//	inputs/0001/...           the script and all it loads, the cluster file, what was deployed
//	setup/<invocation>/       what setup steps left
//	journal/                  what started and what ended
//	tmp/<nonce>/              files of an attempt that is open
//	runs/<run id>/<attempt>/  files of an attempt that is closed
//	*.parquet  manifest.json  derived from all this, replaced whole
//
// A Campaign is an engine.Ledger for whoever runs and a record.Source for
// whoever reads. Create begins one, Open goes on with one, Read looks at one
// that somebody else may be running.
//
// Invariant: the files of an attempt are durable under their final name before
// its DONE is, and its DONE is before Done returns. After an error of storage
// nothing more is recorded; the same command goes on from there.
//
// It deliberately knows neither the format of tables nor that of samples: whoever
// opens a campaign passes them in.
package campaign
