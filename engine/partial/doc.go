// Package partial chooses part of a space that is too large to exhaust.
//
// Methods:
//
//	random    every set of n treatments is equally likely
//	latin     a latin hypercube: each variable has its levels equally often, as
//	          nearly as the rules of the space allow
//	pairwise  a covering array: every pair of levels of two variables that can
//	          occur together does so in some treatment; it finds its own number,
//	          and a larger one is filled up as latin would
//	maximin   space-filling: each treatment is the one farthest from those
//	          chosen before it
//	wsp       space-filling: points that are nearer than a distance to one that
//	          is chosen are struck out, and the walk goes on to the nearest that
//	          is left (Wootton, Sergent and Phan-Tan-Luu); the distance is
//	          sought that leaves n
//
// Invariant: all treatments of a choice are different and in the space, and the
// same space, request and seed give the same choice on every machine and in
// every version. What a choice covers is counted from the treatments that it
// has, never from what its method aims at.
//
// A random sample holds every smaller one of the same seed. Where the space has
// no more than order.TableLimit treatments it is the treatments whose content
// hashes lowest, so that it stays mostly the same when levels are added, and
// wholly so when they are reordered.
//
// The space-filling methods choose from a pool: the whole space where it is
// small, else a random part of it.
//
// The package deliberately knows no replicates and no order of runs.
package partial
