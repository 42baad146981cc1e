// Package tune turns what a cluster file declares of a host's settings, of its
// addresses and of its ends of links into what has to be changed there.
//
// Words: a step is one change; an origin is the place in
// the cluster file that asked for it. What a host does not have is a mistake at
// that place, or, where it is optional, a change that is recorded as missing.
//
// Invariant: a plan only looks at the host. All that changes it is in the steps,
// each with what undoes it. A script that undoes them all is on the host before
// the first one is made, so that whoever is left there can run it.
package tune
