// Package facts makes facts of the files in which a host describes itself.
//
// Words: a fact is a value by its name; a fact is passing if it tells of a
// moment and not of the machine.
//
// Invariant: what a host does not have is missing, or none; it is never an
// error. A fact has the same type on every host.
//
// It deliberately reads no file itself: they are the host's, and its agent looks
// at them. What no file tells is the agent's to say.
package facts
