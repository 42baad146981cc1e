// Package source reads the files of an experiment: each is a regular file of
// bounded size in UTF-8 that lies beside the experiment.
//
// Invariant: no path reaches outside the experiment's folder, by "..", by an
// absolute name or by a symbolic link.
//
// It deliberately parses nothing.
package source
