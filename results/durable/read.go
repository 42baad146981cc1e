package durable

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"

	"mpf/results/fsys"
	"mpf/results/journal"
)

// Read reads a file whose hash was recorded. One that is missing or not
// what it was is damage.
func Read(tree fsys.FS, name, want string, limit int64) ([]byte, error) {
	text, err := fsys.ReadFile(tree, name, limit)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &journal.Damage{File: name, What: "the file is missing"}
	case err != nil:
		return nil, err
	case SHA256(text) != want:
		return nil, &journal.Damage{File: name, What: "the file is not what was recorded"}
	}
	return text, nil
}

// SHA256 returns a hash as the record holds it.
func SHA256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Copy copies a file into another tree, whole or not at all.
func Copy(to fsys.FS, name string, from fsys.FS, old string) (err error) {
	in, err := fsys.Open(from, old)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, in.Close()) }()
	return fsys.Replace(to, name, func(w io.Writer) error {
		_, err := io.Copy(w, in)
		return err
	})
}
