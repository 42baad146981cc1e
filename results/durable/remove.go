package durable

import (
	"errors"
	"io/fs"
	"path"

	"mpf/results/fsys"
)

// Remove removes what is there of a name, with all below it, and says how much
// that was.
func Remove(tree fsys.FS, name string) (files, bytes int64, err error) {
	info, err := tree.Lstat(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, 0, nil
	}
	if err != nil {
		return 0, 0, err
	}
	if !info.IsDir() {
		return 1, info.Size(), tree.Remove(name)
	}
	entries, err := tree.ReadDir(name)
	if err != nil {
		return 0, 0, err
	}
	for _, e := range entries {
		f, b, err := Remove(tree, path.Join(name, e.Name()))
		files, bytes = files+f, bytes+b
		if err != nil {
			return files, bytes, err
		}
	}
	return files, bytes, tree.Remove(name)
}
