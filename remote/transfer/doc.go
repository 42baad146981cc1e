// Package transfer copies files and folders over a byte stream and makes sure
// that what arrived is what was sent.
//
// The sender lists what it has; the receiver tells the hashes of files of the
// same size that it holds already; the sender sends the rest, each with its hash
// behind it; the receiver says that all is well, or what is wrong.
//
// Invariant: a file is visible under its name only whole and verified. The
// receiver trusts no name: all are local to its folder.
//
// It deliberately removes nothing and keeps no times and no owners.
package transfer
