// Package naming says how the names of an experiment are written, and which of
// those that are there somebody meant.
//
// Invariant: a name that is refused comes back as one that is accepted, where
// anything of it is left.
//
// It deliberately knows nothing that was declared: two things of one name are no
// matter of how names are written.
package naming
