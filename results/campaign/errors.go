package campaign

import (
	"errors"
	"fmt"

	"mpf/results/fsys"
	"mpf/results/journal"
	"mpf/results/lock"
)

// ErrNotBegun says that mpf died before it had begun a campaign in a directory,
// or that it never did: one may be created there.
var ErrNotBegun = errors.New("no campaign was begun in it")

// A StorageError says that the campaign could not be written. What was
// acknowledged is kept.
type StorageError struct {
	Dir string
	Err error
}

func (e *StorageError) Error() string { return fmt.Sprintf("storage %q: %v", e.Dir, e.Err) }
func (e *StorageError) Unwrap() error { return e.Err }

// Hint says what to do about it.
func (e *StorageError) Hint() string {
	if errors.Is(e.Err, fsys.ErrMoved) {
		return "put the directory back, then give the same command again"
	}
	return "mend the disk or free some space, then give the same command again: it goes on where this ended"
}

// A RefusedError says why a directory cannot be used as it is.
type RefusedError struct {
	Dir  string
	What string
	Todo string // the hint
	Err  error  // what is underneath, or nil
}

func (e *RefusedError) Error() string { return fmt.Sprintf("campaign %q: %s", e.Dir, e.What) }
func (e *RefusedError) Unwrap() error { return e.Err }

// Hint says what to do about it.
func (e *RefusedError) Hint() string { return e.Todo }

// Explain gives an error of reading the campaign its kind.
func (c *Campaign) Explain(err error) error { return explain(c.dir, err) }

// explain gives an error of opening or committing its kind.
func explain(dir string, err error) error {
	var refused *RefusedError
	var storage *StorageError
	var damage *journal.Damage
	var held *lock.HeldError
	switch {
	case err == nil || errors.As(err, &refused) || errors.As(err, &storage):
		return err
	case errors.As(err, &held):
		return &RefusedError{Dir: dir, What: held.Error(), Err: err, Todo: whileHeld(held)}
	case errors.As(err, &damage):
		return &RefusedError{
			Dir: dir, What: damage.Error(), Err: err,
			Todo: "keep what comes before the damage with: mpf repair --accept-loss " + dir,
		}
	}
	return &StorageError{Dir: dir, Err: err}
}

// whileHeld says what to do while somebody else has the lock.
func whileHeld(by *lock.HeldError) string {
	if by.PID == 0 {
		return "wait for it, or begin another campaign with: mpf run --new"
	}
	return fmt.Sprintf("wait for it, or interrupt it with: kill -INT %d", by.PID)
}
