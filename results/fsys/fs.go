package fsys

import (
	"errors"
	"io"
	"io/fs"
	"os"
)

// Modes of what is made here: for the owner alone.
const (
	DirMode  fs.FileMode = 0o700
	FileMode fs.FileMode = 0o600
)

// TempDir is the directory, made by whoever owns the tree, in which files are
// built before they are renamed to their place.
const TempDir = "tmp"

// ErrLocked is returned by File.Lock where somebody else holds the lock.
var ErrLocked = errors.New("locked by another process")

// ErrMoved is returned where a tree is no longer found at the path at which it
// was opened, or an open file no longer in its directory.
var ErrMoved = errors.New("removed or replaced while in use")

// An FS is a directory tree. Its methods may be called from several goroutines.
type FS interface {
	OpenFile(name string, flag int) (File, error)
	Mkdir(name string) error
	Rename(from, to string) error
	Remove(name string) error
	Symlink(target, name string) error
	Readlink(name string) (string, error)
	Lstat(name string) (fs.FileInfo, error)
	ReadDir(name string) ([]fs.DirEntry, error) // sorted by name

	// SyncDir makes the names in a directory durable.
	SyncDir(name string) error

	// Check returns an error if the tree was moved, replaced or removed.
	Check() error
	Close() error
}

// A File is an open file.
type File interface {
	io.Reader
	io.ReaderAt
	io.Writer
	io.Closer
	Stat() (fs.FileInfo, error)
	Truncate(size int64) error

	// Sync makes the file's data and size durable, not its name.
	Sync() error

	// Lock takes an exclusive lock that ends with Close or with the process. It
	// does not wait: ErrLocked.
	Lock() error
}

// Open opens a file for reading.
func Open(tree FS, name string) (File, error) { return tree.OpenFile(name, os.O_RDONLY) }

// Create makes a new file for writing; it is an error if the name is taken.
func Create(tree FS, name string) (File, error) {
	return tree.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL)
}
