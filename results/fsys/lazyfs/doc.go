// Package lazyfs puts a tree in memory under a path of this machine, by FUSE, so
// that tests let a real program lose what it did not sync.
//
//	Mount  serves a fsystest.Memory until Unmount
//
// What survives a loss of power is the tree's business: its Crash and CrashPartly
// are what is mounted next. Every write reaches the tree at once; the kernel
// keeps no writes back.
//
// It is for tests alone, and the one door to the library. It knows what a campaign
// needs: no hard links, no devices, one owner.
package lazyfs
