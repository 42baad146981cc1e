//go:build !linux

package fsys

import "os"

func syncData(f *os.File) error { return f.Sync() }
