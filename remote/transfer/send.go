package transfer

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
)

// A Source is what can be sent.
type Source interface {
	Entries() ([]Entry, error)
	Open(e Entry) (io.ReadCloser, error)
}

// lengthSize is the length of what tells a piece's.
const lengthSize = 4

// broken in place of a length says that the file could not be read to its end.
const broken = 1<<32 - 1

// Send sends a source to the Receive at the other end.
func Send(stream io.ReadWriter, from Source) error {
	r, w := bufio.NewReader(stream), newOutbox(stream)
	entries, err := from.Entries()
	if err == nil {
		err = manifest{Entries: entries}.check() // a name that is no UTF-8 would arrive as another
	}
	if err != nil {
		// The other end is told so that it does not wait.
		return errors.Join(err, writeLine(stream, manifest{Error: err.Error()}))
	}
	if err := writeLine(w, manifest{Entries: entries}); err != nil {
		return err
	}
	if err := w.flush(); err != nil {
		return err
	}
	var have holdings
	if err := readLine(r, &have); err != nil {
		return err
	}
	if have.Error != "" {
		return errors.New(have.Error)
	}
	if err := sendFiles(w, from, entries, have.Have); err != nil {
		return err
	}
	var end verdict
	if err := readLine(r, &end); err != nil {
		return err
	}
	if end.Error != "" {
		return errors.New(end.Error)
	}
	return nil
}

func sendFiles(w *outbox, from Source, entries []Entry, have map[int]string) error {
	var chosen selection
	for i, e := range entries {
		if e.Kind == File && !same(from, e, have[i]) {
			chosen.Send = append(chosen.Send, i)
		}
	}
	if err := writeLine(w, chosen); err != nil {
		return err
	}
	for _, i := range chosen.Send {
		if err := sendFile(w, from, entries[i]); err != nil {
			return err
		}
	}
	return w.flush()
}

// same reports whether the receiver's hash is that of the file.
func same(from Source, e Entry, theirs string) bool {
	if theirs == "" {
		return false
	}
	f, err := from.Open(e)
	if err != nil {
		return false // sending it will tell
	}
	defer f.Close()
	ours, err := hash(f)
	return err == nil && ours == theirs
}

func hash(r io.Reader) (string, error) {
	h := sha256.New()
	if _, err := io.CopyBuffer(h, r, make([]byte, chunk)); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// sendFile sends the pieces of a file, each with its length before it, an empty
// one and the hash.
func sendFile(w *outbox, from Source, e Entry) error {
	f, err := from.Open(e)
	if err != nil {
		return sendBroken(w, err)
	}
	defer f.Close()
	h := sha256.New()
	for {
		piece, err := w.room()
		if err != nil {
			return err
		}
		n, err := io.ReadFull(f, piece[lengthSize:])
		if n > 0 {
			h.Write(piece[lengthSize : lengthSize+n])
			binary.BigEndian.PutUint32(piece, uint32(n))
			w.add(lengthSize + n)
		}
		if err == io.EOF || err == io.ErrUnexpectedEOF {
			break
		}
		if err != nil {
			return sendBroken(w, err)
		}
	}
	_, err = w.Write(h.Sum(make([]byte, lengthSize)))
	return err
}

func sendBroken(w io.Writer, cause error) error {
	var length [lengthSize]byte
	binary.BigEndian.PutUint32(length[:], broken)
	if _, err := w.Write(length[:]); err != nil {
		return err
	}
	return writeLine(w, verdict{Error: cause.Error()})
}

// Bytes is a file that has no name yet, as a Source.
type Bytes struct {
	Content []byte
	Mode    fs.FileMode
}

// Entries lists the one file.
func (b Bytes) Entries() ([]Entry, error) {
	return []Entry{{Path: ".", Kind: File, Mode: b.Mode.Perm(), Size: int64(len(b.Content))}}, nil
}

// Open reads its content.
func (b Bytes) Open(Entry) (io.ReadCloser, error) {
	return io.NopCloser(bytes.NewReader(b.Content)), nil
}
