package journal

import (
	"errors"
	"fmt"
)

// ErrClosed is returned for a commit after Close.
var ErrClosed = errors.New("the journal is closed")

// ErrTooLong is returned for an event that does not fit.
var ErrTooLong = errors.New("too long for the journal")

// Damage is something in a journal that no crash explains.
type Damage struct {
	File   string
	Offset int64
	N      uint64 // of the last frame before it
	What   string
}

func (d *Damage) Error() string {
	if d.Offset == 0 && d.N == 0 {
		return d.File + ": " + d.What
	}
	return fmt.Sprintf("%s: offset %d, after frame %d: %s", d.File, d.Offset, d.N, d.What)
}

// A StorageError is a failed write, sync, rename or close, after which nothing
// is written any more. N is the last durable frame.
type StorageError struct {
	N   uint64
	Err error
}

func (e *StorageError) Error() string { return e.Err.Error() }
func (e *StorageError) Unwrap() error { return e.Err }
