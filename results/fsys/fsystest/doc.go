// Package fsystest makes storage fail on purpose.
//
//	Memory  a tree in memory that knows what is synced and what is not
//	Faults  any tree, with one operation or all from one on failing
//
// Memory is harsher than most file systems: a name is durable only once its
// directory was synced, data only once its file was, and data whose sync failed
// is never written, although it can be read until the crash and later syncs
// succeed.
//
// It deliberately has no randomness: a sweep tries every operation in turn.
package fsystest
