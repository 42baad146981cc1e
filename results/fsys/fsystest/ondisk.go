package fsystest

import (
	"testing"

	"mpf/results/fsys"
)

// OnDisk returns a directory of a test as a tree, with room for temporary files.
func OnDisk(t testing.TB) (tree fsys.FS, dir string) {
	t.Helper()
	dir = t.TempDir()
	tree, err := fsys.OpenDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = tree.Close() }) // it was only a test
	if err := fsys.MakeDir(tree, fsys.TempDir); err != nil {
		t.Fatal(err)
	}
	return tree, dir
}
