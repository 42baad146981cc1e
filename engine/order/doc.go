// Package order puts the numbers 0..n-1 into a seeded order that can be read at
// any place without being listed.
//
// A permutation of up to TableLimit numbers is a table made by the
// Fisher-Yates shuffle with draws that have no bias, so every order is equally
// likely. A larger one is a cipher: a keyed bijection on a few numbers more,
// applied again whenever one of those comes out (cycle walking), in constant
// space for any n up to 2^64-1.
//
// Invariant: the same key gives the same order on every machine and in every
// version. Therefore the random source, the shuffle and the cipher are written
// here, from fixed constants, and use neither floating point nor math/rand.
//
// The package deliberately knows no variables and no runs; it offers no
// secrecy.
package order
