// Package sample reads a host's counters.
//
// A Reader looks at the host whenever it is asked to, and gives raw counters:
// differences, rates and means over time are for whoever has all readings. What
// is not to be had is NaN or negative, with one warning.
//
// Files that every reading needs stay open and are read in place; what lies in
// file systems is asked of gopsutil, and tests compare all counters with its.
//
// Invariant: a reading never fails, and takes less than a millisecond unless
// processes are asked for.
//
// It is the only package that knows gopsutil. It deliberately has no clock of its
// own that ticks, and stores nothing.
package sample
