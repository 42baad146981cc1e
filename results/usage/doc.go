// Package usage folds the readings of a host into the eighteen performance
// metrics of a run, and into a series of bounded length.
//
//	reading  one look at a host's counters
//	sample   the span between two readings; it has a weight, its length
//	metric   a number over all samples of a host in a run
//	point    one or more samples of a series that follow each other
//
// A Meter makes samples of readings, a Fold metrics of samples, a Series points
// of samples. Metrics come from all samples, however few points are kept.
//
// Invariant: totals are what the host moved during the run, hours are those of
// the host over the run's own window; a number that was not to be had is NaN
// here and null in a table. "mb" in a name means MiB, 1048576 bytes.
//
// It deliberately reads no file and no clock.
package usage
