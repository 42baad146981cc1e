//go:build !linux

package main

// limitMemory does nothing where the system does not bound an address space. The
// process is one that can be spared all the same.
func limitMemory(uint64) error { return nil }
