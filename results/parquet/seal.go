package parquet

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
)

// The library may go round for ever in a damaged page, where no recover helps.
// So a file carries a seal in its metadata: the hash of all else that is in it.
// It is looked at before the library sees any of the file.
//
//	seal = hex(sha256(hex(sha256(all before the footer)) + footer with zeros for the seal))

const (
	sealKey  = "mpf.seal"
	creator  = "mpf, sealed" // says in the footer that there is a seal
	noSeal   = "0000000000000000000000000000000000000000000000000000000000000000"
	tailSize = 4 + len(magic)
)

var errSeal = errors.New("it is damaged: its bytes are not those that were written")

// sealPlace returns where the seal stands in a footer, or -1. Between a key and
// its value Thrift has a byte for the field and one for the length.
func sealPlace(footer []byte) int {
	at := bytes.LastIndex(footer, []byte(sealKey))
	if at < 0 || at+len(sealKey)+2+len(noSeal) > len(footer) {
		return -1
	}
	return at + len(sealKey) + 2
}

// seal puts the seal into a footer that has zeros in its place.
func seal(body [sha256.Size]byte, footer []byte) {
	if at := sealPlace(footer); at >= 0 {
		copy(footer[at:], sealOf(body[:], footer))
	}
}

func sealOf(body, footer []byte) string {
	h := sha256.New()
	io.WriteString(h, hex.EncodeToString(body))
	h.Write(footer)
	return hex.EncodeToString(h.Sum(nil))
}

// checkSeal reads a whole file and compares it with its seal, if it has one.
func checkSeal(r readerAtSeeker) error {
	size, err := r.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	footer, start, err := footerOf(r, size)
	if err != nil {
		return err
	}
	at := sealPlace(footer)
	if at < 0 {
		if bytes.Contains(footer, []byte(creator)) {
			return errSeal
		}
		return nil // not a file of ours
	}
	have := string(footer[at : at+len(noSeal)])
	copy(footer[at:], noSeal)
	body := sha256.New()
	if _, err := io.Copy(body, io.NewSectionReader(r, 0, start)); err != nil {
		return err
	}
	if sealOf(body.Sum(nil), footer) != have {
		return errSeal
	}
	return nil
}

type readerAtSeeker interface {
	io.ReaderAt
	io.Seeker
}

// footerOf returns the footer and where it starts.
func footerOf(r io.ReaderAt, size int64) ([]byte, int64, error) {
	tail := make([]byte, tailSize)
	if size < int64(len(magic)+tailSize) {
		return nil, 0, errors.New("not a Parquet file: it is too short")
	}
	if _, err := r.ReadAt(tail, size-int64(tailSize)); err != nil {
		return nil, 0, err
	}
	length := int64(binary.LittleEndian.Uint32(tail))
	start := size - int64(tailSize) - length
	if string(tail[4:]) != magic || start < int64(len(magic)) {
		return nil, 0, errors.New("not a Parquet file: it has no footer")
	}
	footer := make([]byte, length)
	_, err := r.ReadAt(footer, start)
	return footer, start, err
}
