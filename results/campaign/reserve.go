package campaign

import (
	"crypto/rand"
	"errors"
	"io/fs"

	"mpf/results/fsys"
)

const (
	reserveName = "reserve"
	reserveSize = 1 << 20
)

// makeReserve keeps room on the disk for the words in which a campaign says
// that the disk is full. Its bytes cannot be compressed away.
func makeReserve(tree fsys.FS, size int64) error {
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
