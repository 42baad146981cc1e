// Package design makes of an experiment the runs that it asks for, in their
// order, without listing them.
//
// A block is one replicate: a whole pass over the treatments in an order of its
// own, drawn from the seed and the replicate. Within a block the combinations
// of the hard-to-change variables are whole plots, nested in the order of
// declaration and shuffled at each level of the nesting; the treatments are
// shuffled within their plot. The position of a run counts from 0 over the
// whole design, so any run is found from its position and back.
//
// A restriction takes part of a design. Its runs keep the ID, the block and the
// position that they have in the whole, so that what ran stays valid for it.
//
// Stopping rules look at results at the ends of blocks only and see the blocks
// up to that one only, so that a campaign that is continued decides as one that
// never stopped. A treatment whose rules all hold drops out of later blocks;
// positions do not move.
//
// Invariant: the same experiment and seed give the same runs in the same order
// on every machine and in every version.
//
// The package deliberately executes nothing and keeps no record.
package design
