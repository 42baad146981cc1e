// Package inspect reads what a campaign holds and compares it with its record:
// each frame, each file by its hash, and the samples of attempts without an end.
//
// It deliberately changes nothing: the campaign may be running.
package inspect
