package lastword

import (
	"crypto/rand"
	"errors"
	"io/fs"

	"mpf/results/fsys"
)

const (
	reserveName = "reserve"

	// Size is how many bytes are usually kept.
	Size = 1 << 20
)

// Reserve keeps room on the disk for the words in which a campaign says
// that the disk is full. Its bytes cannot be compressed away.
func Reserve(tree fsys.FS, size int64) error {
	info, err := tree.Lstat(reserveName)
	if err == nil && info.Size() == size {
		return nil
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	bytes := make([]byte, size)
	if _, err := rand.Read(bytes); err != nil {
		return err
	}
	return fsys.WriteFile(tree, reserveName, bytes)
}
