// Package space holds a set of treatments that is counted and searched without
// being listed.
//
// The variables of an experiment are put into an order and the space becomes a
// decision diagram: a node stands for all that still matters after the
// variables before it are set, an edge for a level of the next variable, and
// two beginnings that allow the same endings meet in one node. A condition
// leaves a single edge, absent; a linked row leaves the levels that go with the
// row; an exclusion is asked as soon as all its variables but the last are set
// and takes levels from that last one. From the number of ways below each node
// follow the count, the k-th treatment, the rank of a treatment and how often
// each level occurs, every one of them exact.
//
// The rank of a treatment is its place when the variables are read in the order
// of the diagram. That is the order of declaration, parents before the
// variables that hang on them, unless it would make the diagram large: then the
// package finds an order that keeps it small. Columns keep the order of
// declaration in either case.
//
// Counts up to 2^64-1 are machine words. A larger space can be counted and
// sampled with big integers, but it has no ranks.
//
// Invariant: the diagram holds exactly the treatments in which every variable
// is present if and only if its conditions hold, the present variables of a
// link agree with one of its rows, and no exclusion says true. It depends on
// nothing but the declarations: the same ones give the same ranks everywhere.
//
// An exclusion is asked about combinations that the conditions, and what is
// known of the other rules by then, allow. The work is bounded: an exclusion
// that would have to be asked too often, or rules that need too many nodes, are
// a mistake at their position.
//
// The package deliberately knows no replicate, no order of runs and no host.
package space
