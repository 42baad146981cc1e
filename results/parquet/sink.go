package parquet

import (
	"crypto/sha256"
	"encoding/hex"
	"hash"
	"io"
)

// A sink passes bytes on, counts and hashes them, and keeps its first error: no
// byte follows it.
type sink struct {
	w    io.Writer
	size int64
	hash hash.Hash
	err  error
}

func newSink(w io.Writer) *sink { return &sink{w: w, hash: sha256.New()} }

func (s *sink) Write(p []byte) (int, error) {
	if s.err != nil {
		return 0, s.err
	}
	n, err := s.w.Write(p)
	if err == nil && n < len(p) {
		err = io.ErrShortWrite
	}
	s.size += int64(n)
	s.hash.Write(p[:n])
	s.err = err
	return n, err
}

func (s *sink) written(rows int64) Written {
	return Written{Size: s.size, SHA256: hex.EncodeToString(s.hash.Sum(nil)), Rows: rows}
}

// Written says what a finished file is.
type Written struct {
	Size   int64
	SHA256 string
	Rows   int64
}
