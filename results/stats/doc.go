// Package stats describes repeated measurements: medians, means, percentiles
// and the intervals that go with them.
//
// The interval of a median is one of order statistics: it assumes nothing of
// the distribution, and for 95 % it needs six values. That of a mean is
// Student's and assumes that means are distributed normally.
//
// Invariant: a function gives NaN, or says so, where there are too few values;
// it never guesses. NaNs among the values are the caller's to leave out.
//
// It deliberately compares nothing: see the packages that test hypotheses.
package stats
