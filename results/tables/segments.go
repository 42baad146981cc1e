package tables

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"iter"
	"path"
	"strings"

	"mpf/engine"
	"mpf/results/fsys"
	"mpf/results/parquet"
	"mpf/results/record"
)

// A segment is a file of samples and to whom they belong.
type segment struct {
	at      place
	run     engine.RunID
	attempt int
	dir     string
	file    record.File
	host    string
	roles   string
	clock   engine.ClockOffset
}

func (s segment) name() string { return path.Join(s.dir, s.file.Path) }

func segmentFile(files []record.File, host string) (record.File, bool) {
	for _, f := range files {
		if f.Path == record.SegmentName(host) {
			return f, true
		}
	}
	return record.File{}, false
}

// maxInMemory is up to which size a segment is read at once.
const maxInMemory = 256 << 10

// readings yields the readings of a segment, after its size and hash were found
// to be those of the record: a damaged stream may ask for any amount of memory.
func (s segment) readings(tree fsys.FS) iter.Seq2[*engine.Reading, error] {
	return checked(tree, s, parquet.ReadSegment)
}

// batches does so with many readings at once.
func (s segment) batches(tree fsys.FS) iter.Seq2[*parquet.Batch, error] {
	return checked(tree, s, parquet.ReadBatches)
}

func checked[T any](tree fsys.FS, s segment, read func(io.Reader) iter.Seq2[*T, error]) iter.Seq2[*T, error] {
	return func(yield func(*T, error) bool) {
		r, closer, err := openChecked(tree, s.name(), s.file)
		if err != nil {
			yield(nil, fmt.Errorf("%s: %w", s.name(), err))
			return
		}
		defer closer()
		for item, err := range read(r) {
			if !yield(item, err) {
				return
			}
		}
	}
}

var errDamaged = errors.New("its size or hash is not that of the record")

func openChecked(tree fsys.FS, name string, want record.File) (io.Reader, func(), error) {
	f, err := fsys.Open(tree, name)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err != nil || info.Size() != want.Size || !info.Mode().IsRegular() {
		return nil, nil, errors.Join(errDamaged, err, f.Close())
	}
	if want.Size <= maxInMemory {
		data := make([]byte, want.Size)
		_, err := io.ReadFull(f, data)
		if err = errors.Join(err, f.Close()); err != nil {
			return nil, nil, err
		}
		if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != strings.ToLower(want.SHA256) {
			return nil, nil, errDamaged
		}
		return bytes.NewReader(data), func() {}, nil
	}
	sum := sha256.New()
	if _, err := io.Copy(sum, io.NewSectionReader(f, 0, want.Size)); err != nil {
		return nil, nil, errors.Join(err, f.Close())
	}
	if hex.EncodeToString(sum.Sum(nil)) != strings.ToLower(want.SHA256) {
		return nil, nil, errors.Join(errDamaged, f.Close())
	}
	return newReader(io.NewSectionReader(f, 0, want.Size)), func() { f.Close() }, nil
}
