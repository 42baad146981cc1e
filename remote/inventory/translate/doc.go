// Package translate makes a cluster file of one that was written for the Python
// program of the same name.
//
// Its words: a machine of the old file becomes a host, a namespace of a machine a
// host of its own that is part of the other.
//
// Invariant: what comes out can be read as a cluster file, and whatever the old
// file says that has no counterpart is named.
//
// It deliberately does not look at the hosts.
package translate
