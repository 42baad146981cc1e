package main

import (
	"bytes"
	"fmt"
	"os"
	"syscall"
)

// limitMemory bounds the address space of this process to what it has and so
// much more: beyond, it dies.
func limitMemory(more uint64) error {
	text, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		return err
	}
	var pages uint64
	if _, err := fmt.Fscan(bytes.NewReader(text), &pages); err != nil {
		return fmt.Errorf("/proc/self/statm: %w", err)
	}
	limit := pages*uint64(os.Getpagesize()) + more
	return syscall.Setrlimit(syscall.RLIMIT_AS, &syscall.Rlimit{Cur: limit, Max: limit})
}
