// Package fsys is the storage that a campaign stands on: the few operations
// that durability depends on, as an interface, so that tests can make each of
// them fail.
//
//	FS        a directory tree; names are relative to its root, with slashes
//	File      an open file
//	OpenDir   the real tree, confined by os.Root
//	Unsynced  a tree whose syncs do nothing
//	SyncPath  makes the names that lead to a tree durable
//	Replace   writes a file so that a crash leaves the old one or the new one
//
// Invariant: nothing leaves the root, not by "..", nor through a symbolic link.
// Directories are made 0700 and files 0600.
//
// It deliberately knows no format and never retries: after a failed sync the
// kernel may report success for data that is gone.
package fsys
